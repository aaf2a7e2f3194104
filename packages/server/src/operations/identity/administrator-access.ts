import { isDeepStrictEqual } from 'node:util'
import {
  buildVerifySigner,
  findPolicyRefusal,
  isLoginAllowed,
  NO_SIGNER,
  policyReferences,
  readsIdentity,
} from '@countersign/core'
import type { StoredAuthPolicy } from '../../store/auth-policy-row.ts'
import type { StoredIdentity } from '../../store/identity-row.ts'
import type { KeptLogin } from '../../store/kept-login.ts'
import { loadEnabledAdministrators } from '../../store/reads/administrator-reads.ts'
import { loadAuthPolicies } from '../../store/reads/auth-policy-reads.ts'
import { findIdentitiesById } from '../../store/reads/identity-reads.ts'
import { listTrustedSigners } from '../../store/reads/signer-reads.ts'
import type { StoredSigner } from '../../store/signer-row.ts'
import type { Transaction } from '../../store/transaction.ts'
import { attemptOfKept, findUnknown, judgeKeptClaims } from '../../token/judge-kept-login.ts'
import { findLoginRefusal, judgeAttempt } from '../../token/login-refusals.ts'

interface Administrator {
  readonly identity: StoredIdentity
  readonly policy: StoredAuthPolicy
  readonly hasOwnCredential: boolean
}

/** What decides about the logins of administrators. */
export interface AdministratorAccess {
  readonly now: number
  readonly administrators: ReadonlyMap<string, Administrator>
  readonly signers: ReadonlyMap<string, StoredSigner>
}

/** More are not read: a change that needs them is one to confirm. */
const MAX_ADMINISTRATORS = 1_000

export async function loadAdministratorAccess({ db, now }: Transaction): Promise<AdministratorAccess> {
  const found = await loadEnabledAdministrators(db, { now, limit: MAX_ADMINISTRATORS })
  const own = new Map(found.map(({ id, hasOwnCredential }) => [id, hasOwnCredential]))
  const identities = await findIdentitiesById(db, [...own.keys()])
  const policies = await loadAuthPolicies(
    db,
    identities.map(({ authPolicyId }) => authPolicyId),
  )
  const administrators = identities.flatMap((identity) => {
    const policy = policies.get(identity.authPolicyId)
    return policy ? [[identity.id, { identity, policy, hasOwnCredential: own.get(identity.id) === true }] as const] : []
  })
  const signers = await listTrustedSigners(db)
  return {
    now,
    administrators: new Map(administrators),
    signers: new Map(signers.map((signer) => [signer.id, signer])),
  }
}

/** Whether a login would be accepted, as far as what is kept tells. */
type Expected = 'accepted' | 'refused' | 'unknown'

/**
 * Whether an administrator can be expected to log in. A login by token is judged by the last one that is kept, with the checks of a login. Where that cannot be
 * said, a login counts unless it meets more checks than `before`.
 */
export function canAdministratorLogIn(
  access: AdministratorAccess,
  logins: readonly KeptLogin[],
  before: AdministratorAccess = access,
): boolean {
  const loginsOf = Map.groupBy(logins, ({ identityId }) => identityId)
  return [...access.administrators.values()].some((administrator) => {
    const { identity, policy, hasOwnCredential } = administrator
    const { requireExtJwtSigner: second } = policy.secondary
    // Second tokens are not kept.
    if (second !== null && !(isNamedBy(access.signers.get(second), identity) && counts('unknown', second))) return false
    if (hasOwnCredential && counts(expectWithoutToken(administrator, access))) return true
    const kept = loginsOf.get(identity.id) ?? []
    // What is kept shows which signers know the administrator. Others might, when nothing is.
    return kept.length > 0
      ? kept.some((login) => counts(expectLogin(administrator, login, access), login.signerId))
      : [...access.signers.values()].some((signer) => mayName(signer, administrator) && counts('unknown', signer.id))

    function counts(expected: Expected, signerId?: string): boolean {
      if (expected !== 'unknown') return expected === 'accepted'
      return (
        hasAsFewChecks(before.administrators.get(identity.id), administrator) &&
        (signerId === undefined || acceptsAsMuch(before.signers.get(signerId), access.signers.get(signerId)))
      )
    }
  })
}

function expectWithoutToken({ identity, policy }: Administrator, { now }: AdministratorAccess): Expected {
  if (policyReferences(policy).readsMore) return 'unknown'
  const facts = { claims: {}, signer: NO_SIGNER, identity, request: undefined, nowMs: now }
  return findPolicyRefusal(policy, facts) ? 'refused' : 'accepted'
}

function expectLogin(
  { identity, policy }: Administrator,
  login: KeptLogin,
  { signers, now }: AdministratorAccess,
): Expected {
  const signer = signers.get(login.signerId)
  if (!signer) return 'refused'
  const judged = judgeKeptClaims(signer, buildVerifySigner(signer), login)
  if ('unknown' in judged || findUnknown(policyReferences(policy), login)) return 'unknown'
  const { verdict } = judged
  if (!verdict.accepted) return 'refused'
  const { identityClaim: claim } = verdict
  const isNamed = claim === (signer.useExternalId ? identity.externalId : identity.id)
  const named = { claim, identity: isNamed ? identity : undefined, policy }
  return findLoginRefusal(judgeAttempt(attemptOfKept(signer, named, login, now))) ? 'refused' : 'accepted'
}

/** Whether the policy allows tokens of a signer that could name the administrator. */
function mayName(signer: StoredSigner, { identity, policy }: Administrator): boolean {
  return isLoginAllowed(policy, { method: 'ext-jwt', signerId: signer.id }) && isNamedBy(signer, identity)
}

/** Whether tokens of a signer could name an identity. Only the identity provider knows whether they do. */
function isNamedBy(signer: StoredSigner | undefined, { externalId }: Pick<StoredIdentity, 'externalId'>): boolean {
  return signer !== undefined && (!signer.useExternalId || externalId !== null)
}

/** Whether every login of the administrator that was accepted still is, as far as the identity and the policy say. */
function hasAsFewChecks(before: Administrator | undefined, { identity, policy }: Administrator): boolean {
  if (before === undefined || before.identity.externalId !== identity.externalId) return false
  const { acceptRule, primary } = policy
  if (acceptRule !== null && acceptRule !== before.policy.acceptRule) return false
  if (readsIdentity(policy) && !isDeepStrictEqual(factsOf(identity), factsOf(before.identity))) return false
  return isDeepStrictEqual(stepUpOf(primary.extJwt), stepUpOf(before.policy.primary.extJwt))
}

/** What rules see of an identity, besides its id. */
function factsOf({ name, attributes }: StoredIdentity) {
  return [name, attributes]
}

function stepUpOf({ requireAcr, requireAmr, maxAuthAgeSeconds }: StoredAuthPolicy['primary']['extJwt']) {
  return [requireAcr, requireAmr, maxAuthAgeSeconds]
}

/** Whether every token that the signer accepted still is. What could refuse one ends the sessions of the signer. */
function acceptsAsMuch(before: StoredSigner | undefined, after: StoredSigner | undefined): boolean {
  if (!before || !after || after.sessionRevision !== before.sessionRevision) return false
  return (
    isDeepStrictEqual(after.removedKeys, before.removedKeys) &&
    (after.attributeRules.length === 0 || isDeepStrictEqual(after.attributeRules, before.attributeRules))
  )
}
