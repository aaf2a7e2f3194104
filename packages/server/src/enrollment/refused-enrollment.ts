import type { AppError } from '@countersign/core'
import type { DecisionReason } from '../token/decision-reason.ts'
import type { RefusedEnrollment } from '../token/decision-recorder.ts'
import { identityRefusalText, NAME_THE_SIGNER } from '../token/enrollment-refusals.ts'
import { explainBearer, type RefusedRequest } from '../token/explain-bearer.ts'
import type { LoginExplainer } from '../token/login-explainer.ts'
import type { EnrollmentCredentials } from './choose-enrolling-token.ts'
import type { NotEnrolled } from './token-enrollment.ts'

/** What is missing besides the token. */
const MISSING: Partial<Record<DecisionReason, (error: AppError) => string>> = {
  'signer-unknown': () => 'an enabled signer with the id in the header ziti-token-issuer-id',
  'signer-ambiguous': () => NAME_THE_SIGNER,
  'identity-refused': identityRefusalText,
  'csr-refused': ({ publicCause }) =>
    `a valid CSR${publicCause ? `: ${'field' in publicCause ? publicCause.reason : publicCause.message}` : ''}`,
}

/** Builds the record of a refused enrollment. Its token is explained later. */
export function refusedEnrollment(
  request: RefusedRequest,
  { reason, signer, identityId, bearer, kind, error }: NotEnrolled,
  { bearers, tokenContext }: Pick<EnrollmentCredentials, 'bearers' | 'tokenContext'>,
  explainer: Pick<LoginExplainer, 'explain'>,
): RefusedEnrollment {
  return {
    ...request,
    method: 'enroll',
    reason,
    signerId: signer?.id,
    signerName: signer?.stored.name,
    identityId,
    explain: async () => {
      const explanation = await explainBearer(bearers, bearer, (token) =>
        explainer.explain(token, 'enroll', { isLimited: true, kind, signerId: signer?.id, request: tokenContext }),
      )
      const more = MISSING[reason]?.(error)
      if (more === undefined || explanation.missing.includes(more)) return explanation
      return { ...explanation, missing: [...explanation.missing, more] }
    },
  }
}
