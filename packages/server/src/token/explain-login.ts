import type { ExplainMethod } from '@countersign/contract'
import {
  type EnrollmentKind,
  enrollPolicyId,
  explainToken,
  readEnrollmentClaims,
  readJws,
  type VerifiedToken,
} from '@countersign/core'
import { findAuthPolicy } from '../store/reads/auth-policy-reads.ts'
import { isIdentityName } from '../store/reads/identity-reads.ts'
import type { StoredSigner } from '../store/signer-row.ts'
import { missingChoice, missingForEnrollment } from './enroll-obstacles.ts'
import { explainedIdentity, explainedPolicy, type SignInExplanation } from './login-explanation.ts'
import { loadAttempt, missingForSignIn } from './login-obstacles.ts'
import { createNearSigners, type NearSignersParts } from './near-signers.ts'

export interface ExplainOptions {
  /** For what was refused already: see `createNearSigners`. */
  readonly hurried?: boolean
  /** What somebody would enroll to; whatever the signer allows unless given. */
  readonly kind?: EnrollmentKind
  /** The signer that the token is for; all that take it unless given. */
  readonly signerId?: string | undefined
}

/** Explains what would become of a token, in words for an administrator. Nothing is created, and the token is neither kept nor logged. */
export type ExplainSignIn = (
  token: string,
  method: ExplainMethod,
  options?: ExplainOptions,
) => Promise<SignInExplanation>

type Standing = Pick<SignInExplanation, 'identity' | 'policy' | 'missing'>

const NOT_TAKEN: Standing = {
  identity: null,
  policy: null,
  missing: ['a token that an enabled signer takes: the hints say what is wrong with this one'],
}
const NOT_COMPARED =
  'there were too many refusals at that time to compare this one with the signers: ask "explain" with the token'

export function createExplainSignIn(parts: NearSignersParts): ExplainSignIn {
  const { store, clock } = parts
  const judgeNear = createNearSigners(parts)

  const standings: Record<
    ExplainMethod,
    (signer: StoredSigner, token: VerifiedToken, kind: EnrollmentKind | undefined) => Promise<Standing>
  > = {
    'ext-jwt': async (signer, { identityClaim }) => {
      const attempt = await loadAttempt(store.db, signer, identityClaim, clock.now())
      return {
        identity: explainedIdentity(attempt.identity, attempt.now),
        policy: explainedPolicy(attempt.policy),
        missing: missingForSignIn(attempt),
      }
    },
    enroll: async (signer, token, kind) => {
      const { identity, now } = await loadAttempt(store.db, signer, token.identityClaim, clock.now())
      const policy = await findAuthPolicy(store.db, enrollPolicyId(signer))
      const { name } = readEnrollmentClaims(signer, token)
      const isNameTaken = !identity && name.ok && (await isIdentityName(store.db, name.value))
      return {
        identity: explainedIdentity(identity, now),
        policy: explainedPolicy(policy),
        missing: missingForEnrollment({ signer, token, kind, identity, policy, isNameTaken }),
      }
    },
  }

  return async (token, method, { hurried = false, kind, signerId } = {}) => {
    const reading = readJws(token)
    const judged = reading.ok ? await judgeNear(reading.jws, hurried) : []
    if (!judged) return { signers: [], ...NOT_TAKEN, hints: [NOT_COMPARED] }
    const found: Standing[] = []
    const taking: StoredSigner[] = []
    for (const { signer, verdict } of judged) {
      if (!signer.enabled || !verdict.accepted || (signerId !== undefined && signer.id !== signerId)) continue
      taking.push(signer)
      found.push(await standings[method](signer, verdict.token, kind))
    }
    // Several signers may take a token; a sign-in goes on to the next until one leads somewhere.
    const [nearest = NOT_TAKEN] = found.toSorted((a, b) => a.missing.length - b.missing.length)
    const { signers, hints } = explainToken(token, judged, clock.now())
    const choice = method === 'enroll' ? missingChoice(taking, kind) : []
    return { signers, ...nearest, missing: [...choice, ...nearest.missing], hints }
  }
}
