import { X509Certificate } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { firstCertificate, formatPem, parseCertificate } from '@countersign/core'
import type { Logger } from 'pino'
import { listClientCaPems } from '../store/reads/ca-reads.ts'
import type { Store } from '../store/store.ts'

/** The names of all CAs are in every handshake. A longer list than 64 KiB breaks it, and some clients take only half of that. */
const MAX_NAMES_BYTES = 16_384
const MAX_NAME_BYTES = 1_024
/** Each connection keeps the certificates that were named when it began. */
const MAX_NAMED = 200
/** After the names are read, so many times as long passes without reading them: changes of CAs in a loop must not keep the process busy. */
const REST_FACTOR = 10

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
  let known: readonly string[] | undefined
  let rested = Promise.resolve()
  let next: Promise<void> | undefined
  const load = async (): Promise<void> => {
    const pems = await listClientCaPems(store.db)
    if (isDeepStrictEqual(pems, known)) return
    const named = pickNamedCas(pems)
    if (named.length < pems.length)
      log.warn(`only ${named.length} of ${pems.length} third-party CAs are named to clients`)
    apply(named)
    known = pems
  }
  const loadNext = async (): Promise<void> => {
    next = undefined
    await load().catch((error: unknown) => {
      log.error({ err: error }, 'the third-party CAs could not be named to clients')
    })
  }
  /** Changes that come before the CAs are read are read together. */
  const refresh = (): Promise<void> => {
    if (next) return next
    let startedAt = 0
    const loaded = rested.then(() => {
      startedAt = performance.now()
      return loadNext()
    })
    rested = loaded.then(() => sleep(REST_FACTOR * (performance.now() - startedAt), undefined, { ref: false }))
    next = loaded
    return loaded
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

/** The first certificate of each CA whose name fits, in order, up to 200. */
export function pickNamedCas(pems: readonly string[]): string[] {
  let bytesLeft = MAX_NAMES_BYTES
  const named: string[] = []
  for (const pem of pems) {
    if (named.length === MAX_NAMED) break
    const der = firstCertificate(pem)
    const { length } = parseCertificate(der).subject
    if (length > MAX_NAME_BYTES || length > bytesLeft || !isReadByOpenssl(der)) continue
    bytesLeft -= length
    named.push(formatPem('CERTIFICATE', der))
  }
  return named
}
