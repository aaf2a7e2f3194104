import { secretDigest } from '../secret.ts'
import { readInstant, readSessionClaims } from './session-claims.ts'
import type { VerifiedToken } from './verdict.ts'

/**
 * The tokens that a revocation concerns: those with this `sub`, this `sid`, both when both are given, or those whose identity claim is
 * `identityClaim`.
 */
export type RevokedTokens =
  | { readonly sub: string; readonly sid?: string | undefined }
  | { readonly sub?: undefined; readonly sid: string }
  | { readonly identityClaim: string }

/** Why tokens are revoked or sessions end: a back-channel logout, SCIM, or the name of a security event such as `session-revoked`. */
export type RevocationCause = string
export const BACKCHANNEL_LOGOUT: RevocationCause = 'backchannel-logout'
/** A SCIM request that disabled or deleted the identity. */
export const SCIM_CAUSE: RevocationCause = 'scim'

/** The cause as part of a sentence. */
export function describeCause(cause: RevocationCause): string {
  if (cause === SCIM_CAUSE) return 'SCIM'
  return cause === BACKCHANNEL_LOGOUT ? 'back-channel logout' : `security event ${cause}`
}

/** What decides whether a token is revoked. */
export interface RevocableToken {
  /** `iat` in milliseconds since 1970; null when the token has none. */
  readonly issuedAt: number | null
  /** The keys of every revocation that would concern the token. */
  readonly revocationKeys: readonly string[]
}

/** The key of a revocation that concerns every token of its signer. */
export const ALL_TOKENS_KEY = 'all'

/** The key under which a revocation is stored: a digest, because the values can be long. */
export function revocationKey(tokens: RevokedTokens): string {
  if ('identityClaim' in tokens) return keyOf('identityClaim', tokens.identityClaim)
  const { sub, sid } = tokens
  if (sub === undefined) return keyOf('sid', sid)
  return sid === undefined ? keyOf('sub', sub) : keyOf('both', sub, sid)
}

const keyOf = (...parts: readonly string[]): string => secretDigest(JSON.stringify(parts))

/** Reads from a verified token what decides whether it is revoked. */
export function revocableToken({
  claims,
  identityClaim,
}: Pick<VerifiedToken, 'claims' | 'identityClaim'>): RevocableToken {
  const { subject: sub, providerSessionId: sid } = readSessionClaims(claims)
  return {
    issuedAt: readInstant(claims.iat),
    revocationKeys: [
      ALL_TOKENS_KEY,
      revocationKey({ identityClaim }),
      ...(sub === null ? [] : [revocationKey({ sub })]),
      ...(sid === null ? [] : [revocationKey({ sid })]),
      ...(sub === null || sid === null ? [] : [revocationKey({ sub, sid })]),
    ],
  }
}

/** What names an identity in tokens. */
export interface NamedIdentity {
  readonly id: string
  readonly externalId: string | null
}

/** Whether a verified token names an identity, as its signer says: by its external id, or by its id. */
export function namesIdentity(
  { revocationKeys }: Pick<RevocableToken, 'revocationKeys'>,
  { useExternalId }: { readonly useExternalId: boolean },
  { id, externalId }: NamedIdentity,
): boolean {
  const identityClaim = useExternalId ? externalId : id
  return identityClaim !== null && revocationKeys.includes(revocationKey({ identityClaim }))
}

/**
 * Whether a revocation at `revokedAt` concerns a token by its time. Times are in seconds, so a token of the same second may be an earlier one.
 * A token without a time may be, too.
 */
export function isIssuedBefore({ issuedAt }: Pick<RevocableToken, 'issuedAt'>, revokedAt: number): boolean {
  return issuedAt === null || issuedAt <= revokedAt
}
