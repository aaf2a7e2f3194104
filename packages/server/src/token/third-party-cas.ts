import {
  type AuthorityCertificate,
  type CheckedSignatures,
  createLruCache,
  findCertificatePath,
  findPemBlocks,
  firstCertificate,
  isAdmittedKey,
  type LeafCertificate,
  nameDigest,
  readAuthorityCertificate,
  readIntermediates,
  type SignatureBudget,
} from '@countersign/core'
import type { Clock } from '../platform/clock.ts'
import type { StoredCa } from '../store/ca-row.ts'
import { findCaIntermediates, findVerifiedCas, findVerifiedCasAbove } from '../store/reads/ca-reads.ts'
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

type Sent = Pick<PresentedCertificate, 'sent' | 'isResumed' | 'connection'>

/** What stays the same for all certificates of a connection. Not the CAs, their state and trust, and no dates. */
interface Remembered {
  /** Undefined for a resumed connection without a chain. */
  readonly sent: readonly AuthorityCertificate[] | undefined
  readonly checked: CheckedSignatures
}

const MAX_CACHED = 100
/** More CAs above each other are not followed. */
const MAX_LEVELS = 4
/** For one certificate, over all CAs. */
const MAX_SIGNATURE_CHECKS = 16
/** Enough for two intermediates and a CA that was renewed under its name. Each takes up to two milliseconds. */
const MAX_SLOW_CHECKS = 6

/** Finds the third-party CA of a certificate. CAs are read for every certificate: a change holds at once, on every node. */
export class ThirdPartyCas {
  readonly #parts: ThirdPartyCasParts
  /** By the id of the CA, whose certificate never changes: parsing takes longer than the rest. */
  readonly #authorities = createLruCache<string, AuthorityCertificate>(MAX_CACHED)

  readonly #remembered = new WeakMap<object, Remembered>()

  constructor(parts: ThirdPartyCasParts) {
    this.#parts = parts
  }

  /**
   * The first verified CA that `accepts` and that has issued the certificate, directly or over the certificates that the client sent, or has sent
   * before on a resumed connection. Trusted CAs come first, then the order is that of ids. Undefined also when the key of the certificate is not
   * admitted. The caller checks dates and usage of the certificate.
   */
  async find(
    { parsed }: Pick<LeafCertificate, 'parsed'>,
    presented: Sent,
    accepts: (ca: StoredCa) => boolean,
  ): Promise<IssuingCa | undefined> {
    const { sent, checked } = this.#rememberedOf(presented)
    const cas = (await this.#findCas(parsed.issuer, sent)).filter(accepts).slice(0, MAX_SIGNATURE_CHECKS)
    if (cas.length === 0 || !isAdmittedKey(parsed)) return undefined
    const total = { left: MAX_SIGNATURE_CHECKS, slowLeft: MAX_SLOW_CHECKS }
    for (const [index, ca] of cas.entries()) {
      const authority = this.#authorityOf(ca)
      if (!authority) continue
      const intermediates = sent ?? (await this.#storedIntermediates(ca, parsed.issuer))
      const share = takeShare(total, countOfSameTrust(cas.slice(index), ca))
      const search = { now: this.#parts.clock.now(), budget: share, checked }
      const path = findCertificatePath(parsed, intermediates, authority, search)
      if (path) return { ca, authority, path }
      total.left += share.left
      total.slowLeft += share.slowLeft
    }
    return undefined
  }

  #rememberedOf(presented: Sent): Remembered {
    const { connection, sent } = presented
    const known = connection && this.#remembered.get(connection)
    if (known) return known
    const read = { sent: isWithoutChain(presented) ? undefined : readIntermediates(sent), checked: new Map() }
    if (connection) this.#remembered.set(connection, read)
    return read
  }

  /** The CAs above a certificate by name, directly, over those that were sent, or over those that are stored. */
  #findCas(issuer: Buffer, sent: readonly AuthorityCertificate[] | undefined): Promise<readonly StoredCa[]> {
    const { db } = this.#parts.store
    if (!sent) return findVerifiedCasAbove(db, nameDigest(issuer))
    return findVerifiedCas(db, digestsOf([issuer, ...sent.map(({ parsed }) => parsed.issuer)]))
  }

  /** Those that clients have sent with accepted certificates of this CA. Those of other CAs do not count: their owners could crowd these out. */
  async #storedIntermediates({ id }: StoredCa, issuer: Buffer): Promise<readonly AuthorityCertificate[]> {
    const found: AuthorityCertificate[] = []
    let names = digestsOf([issuer])
    for (let level = 0; level < MAX_LEVELS && names.length > 0; level++) {
      const pems = await findCaIntermediates(this.#parts.store.db, id, names)
      const above = readIntermediates(findPemBlocks(pems.join(''), 'CERTIFICATE') ?? [])
      found.push(...above)
      names = digestsOf(above.map(({ parsed }) => parsed.issuer))
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

/** A resumed TLS connection has the leaf only. */
function isWithoutChain({ sent, isResumed }: Sent): boolean {
  return isResumed && sent.length === 0
}

/** CAs of the same trust share the signature checks equally, so that none uses up those of another. */
function countOfSameTrust(cas: readonly StoredCa[], { trust }: StoredCa): number {
  return cas.filter((ca) => ca.trust.isTrusted === trust.isTrusted).length
}

function takeShare(total: SignatureBudget, among: number): SignatureBudget {
  const share = { left: Math.ceil(total.left / among), slowLeft: Math.ceil(total.slowLeft / among) }
  total.left -= share.left
  total.slowLeft -= share.slowLeft
  return share
}

function digestsOf(names: readonly Buffer[]): string[] {
  return [...new Set(names.map(nameDigest))]
}
