import { isLoginAllowed } from '@countersign/core'
import type { StoredAuthPolicy } from '../store/auth-policy-row.ts'
import { isDisabled, type StoredIdentity } from '../store/identity-row.ts'
import { findAuthPolicy } from '../store/reads/auth-policy-reads.ts'
import { findIdentity, findIdentityByExternalId } from '../store/reads/identity-reads.ts'
import type { StoredSigner } from '../store/signer-row.ts'
import type { ReadDatabase } from '../store/store.ts'
import type { LoginObstacle } from './decision-reason.ts'
import { quoted } from './quoted.ts'

/** A token that a signer has accepted, and the identity that its claim names. */
export interface SignInAttempt {
  readonly signer: StoredSigner
  readonly claim: string
  readonly identity: StoredIdentity | undefined
  readonly policy: StoredAuthPolicy | undefined
  readonly now: number
}

interface ObstacleRule {
  readonly obstacle: LoginObstacle
  stands(attempt: SignInAttempt): boolean
  words(attempt: SignInAttempt): string
}

/** In the order in which they are reported: the first is the reason of the refusal. */
const RULES: readonly ObstacleRule[] = [
  {
    obstacle: 'unknown-identity',
    stands: ({ identity }) => !identity,
    words: ({ signer, claim }) =>
      `an identity whose ${signer.useExternalId ? 'externalId' : 'id'} is ${quoted(claim)}, the value of ${quoted(signer.claimsProperty)}`,
  },
  {
    obstacle: 'disabled',
    stands: ({ identity, now }) => identity !== undefined && isDisabled(identity, now),
    words: ({ identity }) => `the identity ${quoted(identity?.name ?? '')} is disabled: enable it`,
  },
  {
    obstacle: 'not-allowed',
    stands: ({ identity, policy }) => identity !== undefined && !policy?.primary.extJwt.allowed,
    words: ({ policy }) => `the policy ${quoted(policy?.name ?? '')} does not allow External JWT authentication`,
  },
  {
    obstacle: 'signer-not-allowed',
    stands: ({ signer, policy }) =>
      policy?.primary.extJwt.allowed === true && !isLoginAllowed(policy, { method: 'ext-jwt', signerId: signer.id }),
    words: ({ signer, policy }) =>
      `the signer ${quoted(signer.name)} is not among the allowed signers of the policy ${quoted(policy?.name ?? '')}`,
  },
  {
    obstacle: 'signer-not-trusted',
    stands: ({ signer, identity }) => identity !== undefined && !isSignerTrusted(signer, identity),
    words: ({ signer }) =>
      `the signer ${quoted(signer.name)} was last written by somebody who is no administrator, so it signs in nobody who is one or holds permissions: let an administrator save it`,
  },
]

/**
 * Whether the tokens of a signer count for an identity: for one that has power only where an administrator has saved the signer last.
 * Otherwise the permission to write signers would be enough to log in as an administrator.
 */
export function isSignerTrusted(
  { writtenByAdmin }: Pick<StoredSigner, 'writtenByAdmin'>,
  { isAdmin, permissions }: Pick<StoredIdentity, 'isAdmin' | 'permissions'>,
): boolean {
  return writtenByAdmin || !(isAdmin || permissions.length > 0)
}

/** Where the policy of an identity is found; the store unless a cache is given. */
interface PolicySource {
  find(id: string): Promise<StoredAuthPolicy | undefined>
}

/** Reads the identity that the claim of an accepted token names, with the same work whether it exists or not. */
export async function loadAttempt(
  db: ReadDatabase,
  signer: StoredSigner,
  claim: string,
  now: number,
  policies: PolicySource = { find: (id) => findAuthPolicy(db, id) },
): Promise<SignInAttempt> {
  const identity = await (signer.useExternalId ? findIdentityByExternalId : findIdentity)(db, claim)
  const policy = await policies.find(identity?.authPolicyId ?? '')
  return { signer, claim, identity, policy, now }
}

/** The first rule that refuses; undefined when the login is allowed. Every rule is evaluated: the time must not show which one refuses. */
export function findObstacle(attempt: SignInAttempt): LoginObstacle | undefined {
  let first: LoginObstacle | undefined
  for (const { obstacle, stands } of RULES) {
    const isInTheWay = stands(attempt)
    first ??= isInTheWay ? obstacle : undefined
  }
  return first
}

/** Everything in the way, in words for an administrator, and the second factors that would be asked for afterwards. */
export function missingForSignIn(attempt: SignInAttempt): string[] {
  const obstacles = RULES.filter(({ stands }) => stands(attempt)).map(({ words }) => words(attempt))
  return [...obstacles, ...secondFactors(attempt)]
}

function secondFactors({ identity, policy }: SignInAttempt): string[] {
  if (!policy) return []
  const { requireTotp, requireExtJwtSigner } = policy.secondary
  const required = `a second factor, which the policy ${quoted(policy.name)} requires`
  const hasCodes = !requireTotp && identity !== undefined && identity.verifiedTotpId !== null
  return [
    ...(hasCodes ? [`a second factor, which the identity ${quoted(identity.name)} has set up: a TOTP code`] : []),
    ...(requireTotp ? [`${required}: a TOTP code`] : []),
    ...(requireExtJwtSigner ? [`${required}: a token of the signer with the id ${quoted(requireExtJwtSigner)}`] : []),
  ]
}
