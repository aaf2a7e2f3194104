import { X509Certificate } from 'node:crypto'
import { firstCertificate, formatPem, parseCertificate } from '@countersign/core'
import type { Logger } from 'pino'
import { listClientCaPems } from '../store/reads/ca-reads.ts'
import type { Store } from '../store/store.ts'

/** The names of all CAs are in every handshake. A longer list than 64 KiB breaks it, and some clients take only half of that. */
const MAX_NAMES_BYTES = 16_384
const MAX_NAME_BYTES = 1_024

interface ClientCaParts {
  readonly store: Pick<Store, 'db' | 'onChange'>
  readonly log: Logger
  /** Uses these certificates, in PEM, from the next handshake on. */
  apply(pems: readonly string[]): void
}

/**
 * Names the third-party CAs in the handshake: many clients send a certificate only when the server names its issuer. Any certificate passes the
 * handshake, so a name too few or too many decides nothing. Returns a function that reads the CAs now.
 */
export function followClientCas({ store, log, apply }: ClientCaParts): () => Promise<void> {
  let latest = Promise.resolve()
  const load = async (): Promise<void> => {
    const pems = await listClientCaPems(store.db)
    const named = pickNamedCas(pems)
    if (named.length < pems.length)
      log.warn(`only ${named.length} of ${pems.length} third-party CAs are named to clients`)
    apply(named)
  }
  const refresh = (): Promise<void> => {
    latest = latest.then(load).catch((error: unknown) => {
      log.error({ err: error }, 'the third-party CAs could not be named to clients')
    })
    return latest
  }
  store.onChange((changes) => {
    if (changes === 'everything' || changes.some(({ entity }) => entity === 'cas')) void refresh()
  })
  return refresh
}

/** Our parser and OpenSSL may differ. One certificate that OpenSSL refuses would prevent all from being named. */
function isReadByOpenssl(der: Buffer): boolean {
  try {
    return new X509Certificate(der).raw.equals(der)
  } catch {
    return false
  }
}

/** The first certificate of each CA whose name fits, in order. */
export function pickNamedCas(pems: readonly string[]): string[] {
  let bytesLeft = MAX_NAMES_BYTES
  return pems.flatMap((pem) => {
    const der = firstCertificate(pem)
    const { length } = parseCertificate(der).subject
    if (length > MAX_NAME_BYTES || length > bytesLeft || !isReadByOpenssl(der)) return []
    bytesLeft -= length
    return [formatPem('CERTIFICATE', der)]
  })
}
