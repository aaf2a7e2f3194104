import type { ExplainSignIn } from '../token/explain-login.ts'
import type { Enrolled, EnrollmentRequest, TokenEnrollment } from './enroll-by-jwt.ts'
import type { EnrollmentReporter } from './enrollment-reporter.ts'
import { refusedEnrollment } from './refused-enrollment.ts'

export interface EnrollAndReportParts {
  readonly tokenEnrollment: Pick<TokenEnrollment, 'enroll'>
  readonly enrollments: Pick<EnrollmentReporter, 'enrolled' | 'refused'>
  readonly explainSignIn: ExplainSignIn
}

/** Enrolls with a token and reports the outcome. Throws the refusal, which administrators find as a decision under the request id. */
export async function enrollAndReport(
  { tokenEnrollment, enrollments, explainSignIn }: EnrollAndReportParts,
  id: string,
  request: EnrollmentRequest,
): Promise<Enrolled> {
  const { bearers, clientAddress: remoteAddress, source } = request
  const outcome = await tokenEnrollment.enroll(request)
  const reported = { id, remoteAddr: source.remoteAddr }
  if (outcome.isEnrolled) {
    enrollments.enrolled(outcome, reported)
    return outcome
  }
  enrollments.refused(refusedEnrollment({ id, remoteAddress }, outcome, bearers, explainSignIn), outcome, reported)
  throw outcome.error
}
