import {
  AppError,
  buildEnrollingIdentity,
  enrollPolicyId,
  findEnrollmentRefusals,
  issueTime,
  policyReferences,
  validateIdentity,
  waitsAfterDeletion,
} from '@countersign/core'
import type { StoredIdentity } from '../../store/identity-row.ts'
import type { KeptLogin } from '../../store/kept-login.ts'
import { findDeletion } from '../../store/reads/identity-access-reads.ts'
import { isIdentityName } from '../../store/reads/identity-reads.ts'
import type { Store } from '../../store/store.ts'
import { findUnknown } from '../../token/judge-kept-login.ts'
import { newIdentity } from './apply-changes.ts'
import { attemptOf, missingFactors, type Prediction } from './predict-login.ts'
import type { World } from './world.ts'

export interface ProvisioningParts {
  readonly store: Pick<Store, 'db'>
}

type Provisioned = Extract<Prediction, { outcome: 'provisioned' }>

/** Whether the login of an unknown subject would enroll it, by the rules of the enrollment. */
export async function predictProvisioning(
  { store }: ProvisioningParts,
  world: World,
  { signer, claim, ruleAttributes, refused }: Provisioned,
  login: KeptLogin,
  now: number,
): Promise<Exclude<Prediction, Provisioned>> {
  const kind = 'token'
  const policy = world.findPolicy(enrollPolicyId(signer))
  const attempt = { ...attemptOf(world, signer, claim, login, now), policy }
  try {
    const { key, settings } = buildEnrollingIdentity(signer, {
      identityClaim: claim,
      claims: login.claims,
      ruleAttributes,
    })
    const deletedAt = waitsAfterDeletion({ signer, kind }) ? await findDeletion(store.db, key) : undefined
    const unknown = policy && findUnknown(policyReferences(policy), login)
    if (unknown) return { outcome: 'unknown', signerId: signer.id, text: unknown }
    const id = key.useExternalId ? '' : key.id
    const facts = { claims: login.claims, request: undefined, identity: { ...settings, id } }
    const found = { ...attempt, facts, kind, isEnrolled: false, isLogin: true, deletedAt } as const
    const [refusal] = findEnrollmentRefusals(found)
    if (refusal) return { ...refused, reason: refusal, text: `the subject would not be enrolled: ${refusal}` }
    validateIdentity(settings)
    if (!signer.nameSync && (await isIdentityName(store.db, settings.name))) {
      return { ...refused, reason: 'identity-refused', text: 'another identity has the name of the subject' }
    }
    const syncedTokens = { [signer.id]: issueTime(login.claims) }
    const identity: StoredIdentity = { ...newIdentity(now), ...settings, id, syncedTokens }
    const { attributes } = settings
    return {
      outcome: 'accepted',
      signerId: signer.id,
      identity,
      attributes,
      missing: missingFactors(attempt, identity),
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const reason = error.code === 'INVALID_ENROLLMENT_TOKEN' ? 'claim-unusable' : 'identity-refused'
    return { ...refused, reason, text: error.message }
  }
}
