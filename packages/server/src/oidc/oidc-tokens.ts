import {
  type CheckSignature,
  type JsonObject,
  OIDC_CLIENTS,
  readJws,
  readSessionTokenClaims,
  type SessionTokenClaims,
  type SessionTokenUse,
  TOKEN_USES,
  type UntrustedJws,
  type VerifiedTokenCache,
  type VerifySigner,
  verifyToken,
} from '@countersign/core'
import type { Clock } from '../platform/clock.ts'
import type { SigningKeys } from './signing-keys.ts'

interface OidcTokensParts {
  readonly keys: Pick<SigningKeys, 'verification'>
  readonly cache: VerifiedTokenCache
  readonly clock: Clock
  readonly checkSignature: CheckSignature
}

/** Why a token is not accepted: not one of ours, one of ours for another use, or one of ours that has expired. */
export type TokenFault = 'foreign' | 'other-use' | 'expired'

export type ReadToken =
  | { readonly ok: true; readonly claims: SessionTokenClaims }
  | { readonly ok: false; readonly fault: TokenFault }

/** Only ours verify with our keys, and each of ours names one of these clients. */
const [AUDIENCE, ...FURTHER_AUDIENCES] = OIDC_CLIENTS
const BASE: VerifySigner = {
  id: 'oidc',
  revision: '',
  issuer: '',
  audience: AUDIENCE,
  additionalAudiences: FURTHER_AUDIENCES,
  claimsProperty: { text: '/sub', segments: ['sub'] },
  // Another node, whose clock is ahead, may have issued the token. Its end is checked without it.
  clockSkewSeconds: 60,
  requiredClaims: [],
  claimRules: [],
  name: '',
  acceptRule: undefined,
  attributeRules: [],
  readsRequest: false,
  requirePossession: 'none',
  leavesPossession: true,
  oneUse: false,
}

const FOREIGN: ReadToken = { ok: false, fault: 'foreign' }
const OTHER_USE: ReadToken = { ok: false, fault: 'other-use' }
const EXPIRED: ReadToken = { ok: false, fault: 'expired' }

/** The claims of a token with a right signature. */
interface Verified {
  readonly claims?: JsonObject
  readonly expired?: JsonObject
}

const NOT_OURS: Verified = {}

/** Verifies tokens that the OpenID provider has signed. Whether they are still good is decided by their session. */
export class OidcTokens {
  readonly #parts: OidcTokensParts
  readonly #known = new WeakMap<JsonObject, Extract<ReadToken, { ok: true }>>()
  /** For the issuer of the last token: most have the same. */
  #signer = BASE

  constructor(parts: OidcTokensParts) {
    this.#parts = parts
  }

  /** The claims of an access or refresh token. */
  async read(token: string, use: SessionTokenUse): Promise<ReadToken> {
    return this.#read(await this.#verify(token), use)
  }

  /** The session that an id token names. An expired one is accepted: clients send it to end the session (OpenID Connect RP-Initiated Logout section 2). */
  async readIdTokenHint(token: string): Promise<{ readonly sessionId: string } | undefined> {
    const { claims, expired } = await this.#verify(token)
    const { sid, z_t: use } = claims ?? expired ?? {}
    return typeof sid === 'string' && use === undefined ? { sessionId: sid } : undefined
  }

  #read({ claims, expired }: Verified, use: SessionTokenUse): ReadToken {
    if (!claims) return expired ? EXPIRED : FOREIGN
    if (claims.z_t !== TOKEN_USES[use]) return OTHER_USE
    let known = this.#known.get(claims)
    if (!known) {
      const read = readSessionTokenClaims(claims)
      if (!read) return OTHER_USE
      known = { ok: true, claims: read }
      this.#known.set(claims, known)
    }
    return known.claims.expiresAt <= this.#parts.clock.now() ? EXPIRED : known
  }

  async #verify(token: string): Promise<Verified> {
    const { keys, cache, clock, checkSignature } = this.#parts
    const reading = readJws(token, cache)
    if (!reading.ok) return NOT_OURS
    const { jws } = reading
    const { kid } = jws.untrustedHeader
    const verification = await keys.verification()
    if (typeof kid !== 'string' || !verification.has(kid)) return NOT_OURS
    const verdict = await verifyToken(jws, this.#signerFor(jws), verification, clock.now(), { cache, checkSignature })
    if (verdict.accepted) return { claims: verdict.token.claims }
    // The signature is checked before the expiry.
    return verdict.reason === 'token-expired' ? { expired: jws.untrustedClaims } : NOT_OURS
  }

  /** Every issuer is accepted that a node has signed: other nodes have addresses that this one does not know. */
  #signerFor({ untrustedClaims: { iss } }: UntrustedJws): VerifySigner {
    const issuer = typeof iss === 'string' ? iss : ''
    if (this.#signer.issuer !== issuer) this.#signer = { ...BASE, issuer, revision: issuer }
    return this.#signer
  }
}
