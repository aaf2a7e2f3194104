import {
  type AuthorityCertificate,
  createLruCache,
  findCertificatePath,
  findPemBlocks,
  firstCertificate,
  isAdmittedKey,
  type LeafCertificate,
  nameDigest,
  readAuthorityCertificate,
  readIntermediates,
} from '@countersign/core'
import type { Clock } from '../platform/clock.ts'
import type { StoredCa } from '../store/ca-row.ts'
import { findCaIntermediates, findVerifiedCas } from '../store/reads/ca-reads.ts'
import type { Store } from '../store/store.ts'
import type { PresentedCertificate } from './presented-certificate.ts'

/** A third-party CA that has issued a certificate, and the certificates between the two. */
export interface IssuingCa {
  readonly ca: StoredCa
  readonly authority: AuthorityCertificate
  readonly path: readonly AuthorityCertificate[]
}

interface ThirdPartyCasParts {
  readonly store: Pick<Store, 'db'>
  readonly clock: Clock
}

type Sent = Pick<PresentedCertificate, 'sent' | 'isResumed'>

const MAX_CACHED = 100
/** More CAs above each other are not followed. */
const MAX_LEVELS = 4
/** For one certificate, over all CAs. */
const MAX_SIGNATURE_CHECKS = 16

/** Finds the third-party CA of a certificate. CAs are read for every certificate: a change holds at once, on every node. */
export class ThirdPartyCas {
  readonly #parts: ThirdPartyCasParts
  /** By the id of the CA, whose certificate never changes: parsing takes longer than the rest. */
  readonly #authorities = createLruCache<string, AuthorityCertificate>(MAX_CACHED)

  constructor(parts: ThirdPartyCasParts) {
    this.#parts = parts
  }

  /**
   * The first verified CA, of the trusted ones before the others, that `accepts` and that has issued the certificate, directly or over the certificates that the client sent.
   * Undefined also when the key of the certificate is not admitted. The caller checks dates and usage of the certificate.
   */
  async find(
    { parsed }: Pick<LeafCertificate, 'parsed'>,
    presented: Sent,
    accepts: (ca: StoredCa) => boolean,
  ): Promise<IssuingCa | undefined> {
    const { store, clock } = this.#parts
    const intermediates = await this.#intermediatesOf(parsed.issuer, presented)
    const issuers = [parsed.issuer, ...intermediates.map((one) => one.parsed.issuer)]
    const cas = await findVerifiedCas(store.db, digestsOf(issuers))
    if (cas.length === 0 || !isAdmittedKey(parsed)) return undefined
    const limits = { now: clock.now(), budget: { left: MAX_SIGNATURE_CHECKS } }
    for (const ca of cas.filter(accepts)) {
      const authority = this.#authorityOf(ca)
      const path = authority && findCertificatePath(parsed, intermediates, authority, limits)
      if (path) return { ca, authority, path }
    }
    return undefined
  }

  /** A resumed TLS connection has the leaf only: its intermediates are those that other connections have sent. */
  async #intermediatesOf(issuer: Buffer, { sent, isResumed }: Sent): Promise<readonly AuthorityCertificate[]> {
    if (!isResumed || sent.length > 0) return readIntermediates(sent)
    const found: AuthorityCertificate[] = []
    let names = digestsOf([issuer])
    for (let level = 0; level < MAX_LEVELS && names.length > 0; level++) {
      const pems = await findCaIntermediates(this.#parts.store.db, names)
      const above = readIntermediates(findPemBlocks(pems.join(''), 'CERTIFICATE') ?? [])
      found.push(...above)
      names = above.length === 0 ? [] : digestsOf(above.map(({ parsed }) => parsed.issuer))
    }
    return found
  }

  #authorityOf({ id, certPem }: StoredCa): AuthorityCertificate | undefined {
    const known = this.#authorities.get(id)
    if (known) return known
    const read = readAuthorityCertificate(firstCertificate(certPem))
    if (read) this.#authorities.set(id, read)
    return read
  }
}

function digestsOf(names: readonly Buffer[]): string[] {
  return [...new Set(names.map(nameDigest))]
}
