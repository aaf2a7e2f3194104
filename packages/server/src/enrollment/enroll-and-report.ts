import type { LoginExplainer } from '../token/login-explainer.ts'
import type { EnrollmentReporter } from './enrollment-reporter.ts'
import { refusedEnrollment } from './refused-enrollment.ts'
import type { EnrollmentRequest, EnrollmentResult, TokenEnrollment } from './token-enrollment.ts'

export interface EnrollAndReportParts {
  readonly tokenEnrollment: Pick<TokenEnrollment, 'enroll'>
  readonly enrollments: Pick<EnrollmentReporter, 'enrolled' | 'refused'>
  readonly explainer: Pick<LoginExplainer, 'explain'>
}

/** Enrolls with a token and reports the result. A refusal is stored as a decision under the request id. */
export async function enrollAndReport(
  { tokenEnrollment, enrollments, explainer }: EnrollAndReportParts,
  id: string,
  request: EnrollmentRequest,
): Promise<EnrollmentResult> {
  const { clientAddress: remoteAddress, source } = request
  const result = await tokenEnrollment.enroll(request)
  const reported = { id, remoteAddr: source.remoteAddr }
  if (result.isEnrolled) enrollments.enrolled(result, reported)
  else enrollments.refused(refusedEnrollment({ id, remoteAddress }, result, request, explainer), result, reported)
  return result
}
