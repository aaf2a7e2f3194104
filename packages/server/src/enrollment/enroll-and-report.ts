import type { ExplainSignIn } from '../token/explain-login.ts'
import type { EnrollByJwt, Enrolled, EnrollmentRequest } from './enroll-by-jwt.ts'
import { refusedEnrollment } from './refused-enrollment.ts'
import type { EnrollmentReporter } from './report-enrollment.ts'

export interface EnrollAndReportParts {
  readonly enrollByJwt: EnrollByJwt
  readonly enrollments: EnrollmentReporter
  readonly explainSignIn: ExplainSignIn
}

/** Enrolls with a token and reports the outcome. Throws the refusal, which administrators find as a decision under the request id. */
export async function enrollAndReport(
  { enrollByJwt, enrollments, explainSignIn }: EnrollAndReportParts,
  id: string,
  request: EnrollmentRequest,
): Promise<Enrolled> {
  const { bearers, clientAddress: remoteAddress, source } = request
  const outcome = await enrollByJwt(request)
  const reported = { id, remoteAddr: source.remoteAddr }
  if (outcome.isEnrolled) {
    enrollments.enrolled(outcome, reported)
    return outcome
  }
  enrollments.refused(refusedEnrollment({ id, remoteAddress }, outcome, bearers, explainSignIn), outcome, reported)
  throw outcome.error
}
