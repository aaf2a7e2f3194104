import {
  ALL_CLAIMS,
  type ClaimReferences,
  type ClaimsVerdict,
  claimReferences,
  evaluateClaims,
  type RuleBudget,
  readSessionClaims,
  type VerifySigner,
} from '@countersign/core'
import type { StoredAuthPolicy } from '../store/auth-policy-row.ts'
import type { StoredIdentity } from '../store/identity-row.ts'
import type { KeptLogin } from '../store/kept-login.ts'
import type { StoredSigner } from '../store/signer-row.ts'
import { hasKey } from './key-source.ts'
import type { LoginAttempt } from './login-refusals.ts'

/** What one signer says to the claims of a kept login. */
export type JudgedClaims = { readonly verdict: ClaimsVerdict } | { readonly unknown: string }

/** Checks the claims as they were at the time of the login. */
export function judgeKeptClaims(
  signer: StoredSigner,
  verify: VerifySigner,
  login: KeptLogin,
  ruleBudget?: RuleBudget,
): JudgedClaims {
  const isKeyKnown = hasKey(signer, login)
  if (isKeyKnown === undefined)
    return { unknown: 'the keys of the signer may be others than the one that verified the token' }
  const unknown = findUnknown(claimReferences(signer), login)
  if (unknown) return { unknown }
  return { verdict: isKeyKnown ? evaluateClaims(login.claims, {}, verify, login.at, ruleBudget) : KEY_UNKNOWN }
}

/** What a decision depends on that is not kept; undefined when it can be predicted. */
export function findUnknown({ names, readsMore }: ClaimReferences, login: KeptLogin): string | undefined {
  if (readsMore) return 'a rule reads the header of the token or the request, which are not kept'
  const isKept = (name: string) => login.names.includes(name) || login.names.includes(ALL_CLAIMS)
  const missing = [...names].filter((name) => !isKept(name)).map((name) => (name === ALL_CLAIMS ? 'all' : name))
  return missing.length === 0 ? undefined : `these claims of the login are not kept: ${missing.join(', ')}`
}

const KEY_UNKNOWN: ClaimsVerdict = {
  accepted: false,
  reason: 'kid-unknown',
  check: 'kid',
  describe: () => {
    return { check: 'kid', expected: 'a key of the signer', received: 'the key that verified the token', pass: false }
  },
}

interface Named {
  readonly claim: string
  readonly identity: StoredIdentity | undefined
  readonly policy: StoredAuthPolicy | undefined
}

/** The kept login as an attempt of now. */
export function attemptOfKept(
  signer: StoredSigner,
  named: Named,
  { claims, at }: KeptLogin,
  now: number,
): LoginAttempt {
  const { authenticatedAt, ...session } = readSessionClaims(claims)
  const loginClaims = { ...session, authenticatedAt: authenticatedAt === null ? null : authenticatedAt + now - at }
  return { signer, ...named, loginClaims, claims, request: undefined, now }
}
