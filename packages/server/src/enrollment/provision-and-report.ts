import type { ReportedRequest } from '../events/reported-request.ts'
import type { TokenContext } from '../token/request-proofs.ts'
import type { EnrollmentReporter } from './enrollment-reporter.ts'
import type { NotProvisioned, TokenEnrollment } from './token-enrollment.ts'

interface ProvisionParts {
  readonly tokenEnrollment: Pick<TokenEnrollment, 'provision'>
  readonly enrollments: Pick<EnrollmentReporter, 'enrolled'>
}

type Accepted = Parameters<TokenEnrollment['provision']>[0]

/** Enrolls the unknown subject of a login. Returns the refusal; undefined when the identity exists now, also when another login was faster. */
export async function provisionAndReport(
  { tokenEnrollment, enrollments }: ProvisionParts,
  accepted: Accepted,
  request: ReportedRequest,
  tokenContext: TokenContext,
): Promise<NotProvisioned | undefined> {
  const source = { method: tokenContext.method, localAddr: '', remoteAddr: request.remoteAddr }
  const result = await tokenEnrollment.provision(accepted, { source, tokenContext })
  if (result.isEnrolled) enrollments.enrolled(result, request)
  return result.isEnrolled || result.reason === 'already-enrolled' ? undefined : result
}
