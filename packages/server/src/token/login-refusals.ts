import { isLoginAllowed, isTrustedFor } from '@countersign/core'
import type { StoredAuthPolicy } from '../store/auth-policy-row.ts'
import { isDisabled, type StoredIdentity } from '../store/identity-row.ts'
import { findAuthPolicy } from '../store/reads/auth-policy-reads.ts'
import { findIdentity, findIdentityByExternalId } from '../store/reads/identity-reads.ts'
import type { StoredSigner } from '../store/signer-row.ts'
import type { ReadDatabase } from '../store/store.ts'
import type { LoginRefusal } from './decision-reason.ts'
import { quoted } from './quoted.ts'

/** A login with an accepted token, and the identity that its claim names. */
export interface LoginAttempt {
  readonly signer: StoredSigner
  readonly claim: string
  readonly identity: StoredIdentity | undefined
  readonly policy: StoredAuthPolicy | undefined
  readonly now: number
}

interface RefusalRule {
  readonly refusal: LoginRefusal
  applies(attempt: LoginAttempt): boolean
  text(attempt: LoginAttempt): string
}

/** Order matters: the first rule that applies is the reason of the refusal. */
const RULES: readonly RefusalRule[] = [
  {
    refusal: 'unknown-identity',
    applies: ({ identity }) => !identity,
    text: ({ signer, claim }) =>
      `an identity whose ${signer.useExternalId ? 'externalId' : 'id'} is ${quoted(claim)}, the value of ${quoted(signer.claimsProperty)}`,
  },
  {
    refusal: 'disabled',
    applies: ({ identity, now }) => identity !== undefined && isDisabled(identity, now),
    text: ({ identity }) => `the identity ${quoted(identity?.name ?? '')} is disabled: enable it`,
  },
  {
    refusal: 'not-allowed',
    applies: ({ identity, policy }) => identity !== undefined && !policy?.primary.extJwt.allowed,
    text: ({ policy }) => `the policy ${quoted(policy?.name ?? '')} does not allow External JWT authentication`,
  },
  {
    refusal: 'signer-not-allowed',
    applies: ({ signer, policy }) =>
      policy?.primary.extJwt.allowed === true && !isLoginAllowed(policy, { method: 'ext-jwt', signerId: signer.id }),
    text: ({ signer, policy }) =>
      `the signer ${quoted(signer.name)} is not among the allowed signers of the policy ${quoted(policy?.name ?? '')}`,
  },
  {
    refusal: 'signer-not-trusted',
    applies: ({ signer, identity }) => identity !== undefined && !isTrustedFor(signer.trust, identity),
    text: ({ signer }) =>
      `the signer ${quoted(signer.name)} is not trusted, since it was last written without administrator rights: it cannot log in identities that are administrators or hold permissions until an administrator trusts it`,
  },
]

/** Source of policies: the store, or a cache. */
interface PolicySource {
  find(id: string): Promise<StoredAuthPolicy | undefined>
}

/** Reads the identity that the claim of an accepted token names. Does the same work when it does not exist. */
export async function loadAttempt(
  db: ReadDatabase,
  signer: StoredSigner,
  claim: string,
  now: number,
  policies: PolicySource = { find: (id) => findAuthPolicy(db, id) },
): Promise<LoginAttempt> {
  const identity = await (signer.useExternalId ? findIdentityByExternalId : findIdentity)(db, claim)
  const policy = await policies.find(identity?.authPolicyId ?? '')
  return { signer, claim, identity, policy, now }
}

/** Returns the first refusal; undefined when the login is allowed. Evaluates every rule: the time must not reveal which one refuses. */
export function findLoginRefusal(attempt: LoginAttempt): LoginRefusal | undefined {
  let first: LoginRefusal | undefined
  for (const { refusal, applies } of RULES) {
    const isRefused = applies(attempt)
    first ??= isRefused ? refusal : undefined
  }
  return first
}

/** Lists for an administrator every refusal, and the second factors that the login would require. */
export function missingForLogin(attempt: LoginAttempt): string[] {
  const refusals = RULES.filter(({ applies }) => applies(attempt)).map(({ text }) => text(attempt))
  return [...refusals, ...secondFactors(attempt)]
}

function secondFactors({ identity, policy }: LoginAttempt): string[] {
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
