import { X509Certificate } from 'node:crypto'
import {
  type CheckSignature,
  type CredentialUse,
  comparableUrl,
  type ProofReading,
  type ProofVerdict,
  readProof,
  refuseProof,
  secretDigest,
  thumbprintOf,
  verifyProof,
} from '@countersign/core'
import type { FastifyRequest } from 'fastify'
import { useProof } from '../../operations/possession/use-proof.ts'
import type { Clock } from '../../platform/clock.ts'
import type { OwnAddresses } from '../../platform/own-addresses.ts'
import type { Store } from '../../store/store.ts'
import type { ProofNonces } from '../../token/proof-nonces.ts'
import type { RequestProofs } from '../../token/request-proofs.ts'
import { authorizationTokens, headerLines } from './bearer-tokens.ts'
import { certificateSha256, readClientCertificate } from './client-certificate.ts'

export interface RequestProofsParts {
  readonly store: Pick<Store, 'run'>
  readonly clock: Clock
  readonly nonces: Pick<ProofNonces, 'current' | 'isGood'>
  readonly ownAddresses: Pick<OwnAddresses, 'find'>
  readonly checkSignature: CheckSignature
}

/** What requests prove about the keys of their clients. One object for each request, so that its proofs are verified and used once. */
export class ProofsOfRequests {
  readonly #parts: RequestProofsParts
  readonly #known = new WeakMap<FastifyRequest, ProofsOfRequest>()

  constructor(parts: RequestProofsParts) {
    this.#parts = parts
  }

  of(request: FastifyRequest): ProofsOfRequest {
    const known = this.#known.get(request)
    if (known) return known
    const proofs = new ProofsOfRequest(request, this.#parts)
    this.#known.set(request, proofs)
    return proofs
  }

  /** The nonce for the response to a request with a proof, or that needs one. */
  nonce(): string {
    return this.#parts.nonces.current()
  }
}

/** Whether a request tries to prove possession by DPoP. */
export function usesDpop({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return headers.dpop !== undefined || (headers.authorization?.slice(0, DPOP.length).toLowerCase() ?? '') === DPOP
}

const DPOP = 'dpop '
const NONE: ReadonlySet<string> = new Set()

export class ProofsOfRequest implements RequestProofs {
  readonly #request: FastifyRequest
  readonly #parts: RequestProofsParts
  // Created when needed: few requests have proofs.
  #verdicts: Map<string, Promise<ProofVerdict>> | undefined
  #uses: Map<string, Promise<boolean>> | undefined
  /** SHA-256 of the tokens that were sent with the scheme DPoP. */
  #dpopTokens: ReadonlySet<string> | undefined

  constructor(request: FastifyRequest, parts: RequestProofsParts) {
    this.#request = request
    this.#parts = parts
  }

  certificateSha256(): string | undefined {
    return certificateSha256(this.#request.raw.socket)
  }

  certificateKey(): string | undefined {
    const leaf = readClientCertificate(this.#request.raw.socket)?.leaf
    try {
      return leaf && thumbprintOf(new X509Certificate(leaf).publicKey)
    } catch {
      // A key of a kind that no CSR may have.
      return undefined
    }
  }

  get hasDpop(): boolean {
    return this.#dpop.size > 0
  }

  isDpop(tokenSha256: string): boolean {
    return this.#dpop.has(tokenSha256)
  }

  proofFor(tokenSha256: string): Promise<ProofVerdict> {
    return this.#verdictFor(tokenSha256)
  }

  /** The verdict on the proof of a request to a token endpoint, which has no token. */
  proofWithoutToken(): Promise<ProofVerdict> {
    return this.#verdictFor(undefined)
  }

  use(proof: CredentialUse | undefined, actorId: string): Promise<boolean> {
    if (!proof || proof.state === 'used-here') return Promise.resolve(true)
    this.#uses ??= new Map()
    let using = this.#uses.get(proof.digest)
    if (!using) {
      using = this.#use(proof, actorId)
      this.#uses.set(proof.digest, using)
    }
    return using
  }

  async #use(proof: CredentialUse, actorId: string): Promise<boolean> {
    const { store, clock } = this.#parts
    const used = { digest: proof.digest, expiresAt: proof.expiresAtMs }
    const isFirst = await store.run(useProof, used, { actorId, now: clock.now() })
    proof.state = isFirst ? 'used-here' : 'used-before'
    return isFirst
  }

  #verdictFor(tokenSha256: string | undefined): Promise<ProofVerdict> {
    const key = tokenSha256 ?? ''
    this.#verdicts ??= new Map()
    let verdict = this.#verdicts.get(key)
    if (!verdict) {
      verdict = this.#verify(tokenSha256)
      this.#verdicts.set(key, verdict)
    }
    return verdict
  }

  async #verify(tokenSha256: string | undefined): Promise<ProofVerdict> {
    // Clients that use `fetch` send several values in one line. No proof contains a comma.
    const lines = headerLines(this.#request.raw.rawHeaders, 'dpop').flatMap((line) => line.split(','))
    const isBearer = tokenSha256 !== undefined && this.#digestsOf('bearer').has(tokenSha256)
    if (isBearer && !this.#dpop.has(tokenSha256))
      return refuseProof('proof-missing', 'the token was sent with the scheme Bearer: send it with the scheme DPoP')
    if (lines.length === 0) return refuseProof('proof-missing', null)
    // RFC 9449 section 4.3 allows one: one for each credential that can be bound.
    const allowed = Math.max(1, this.#dpop.size + (this.#request.headers['zt-session'] === undefined ? 0 : 1))
    if (lines.length > allowed) return refuseProof('proof-malformed', `${lines.length} headers DPoP`)
    const { clock, nonces, checkSignature } = this.#parts
    return verifyProof(
      choose(
        lines.map((line) => readProof(line.trim())),
        tokenSha256,
      ),
      {
        method: this.#request.method,
        url: this.#url(),
        tokenSha256,
        nowMs: clock.now(),
        isNonceGood: (nonce) => nonce !== undefined && nonces.isGood(nonce),
        checkSignature,
      },
    )
  }

  /** The URL that the client has used: behind a trusted proxy with the host that it forwards. A host that is none of ours is not believed. */
  #url(): string | undefined {
    const { host, originalUrl, socket } = this.#request
    const address = this.#parts.ownAddresses.find(host, socket.localPort)
    return address === undefined ? undefined : comparableUrl(`https://${address}${originalUrl}`)
  }

  get #dpop(): ReadonlySet<string> {
    this.#dpopTokens ??= this.#digestsOf('dpop')
    return this.#dpopTokens
  }

  #digestsOf(scheme: 'dpop' | 'bearer'): ReadonlySet<string> {
    const tokens = authorizationTokens(this.#request.raw.rawHeaders, scheme)
    return tokens.length === 0 ? NONE : new Set(tokens.map(secretDigest))
  }
}

/** The proof for a token; the first one when none is. */
function choose(readings: readonly ProofReading[], tokenSha256: string | undefined): ProofReading {
  const [first] = readings
  if (!first) throw new TypeError('there is no proof')
  return readings.find((reading) => reading.ok && reading.proof.ath === tokenSha256) ?? first
}
