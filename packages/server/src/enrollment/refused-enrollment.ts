import type { AppError } from '@countersign/core'
import type { DecisionReason } from '../token/decision-reason.ts'
import type { RefusedEnrollment } from '../token/decision-recorder.ts'
import { identityProblem, NAME_THE_SIGNER } from '../token/enroll-obstacles.ts'
import { explainBearer, type RefusedRequest } from '../token/explain-bearer.ts'
import type { LoginExplainer } from '../token/login-explainer.ts'
import type { EnrollmentRefusal } from './token-enrollment.ts'

/** What is missing beside the token. */
const MISSING: Partial<Record<DecisionReason, (error: AppError) => string>> = {
  'signer-unknown': () => 'an enabled signer with the id that the header ziti-token-issuer-id names',
  'signer-ambiguous': () => NAME_THE_SIGNER,
  'identity-refused': identityProblem,
  'csr-refused': ({ publicCause }) =>
    `a CSR that can be used${publicCause ? `: ${'field' in publicCause ? publicCause.reason : publicCause.message}` : ''}`,
}

/** An enrollment that was refused, with the explanation of its token for later. */
export function refusedEnrollment(
  request: RefusedRequest,
  { reason, signer, identityId, bearer, kind, error }: EnrollmentRefusal,
  bearers: readonly string[],
  explainer: Pick<LoginExplainer, 'explain'>,
): RefusedEnrollment {
  return {
    ...request,
    method: 'enroll',
    reason,
    signerId: signer?.id,
    identityId,
    explain: async () => {
      const explanation = await explainBearer(bearers, bearer, (token) =>
        explainer.explain(token, 'enroll', { isHurried: true, kind, signerId: signer?.id }),
      )
      const more = MISSING[reason]?.(error)
      if (more === undefined || explanation.missing.includes(more)) return explanation
      return { ...explanation, missing: [...explanation.missing, more] }
    },
  }
}
