import { EnrollToken, type EnrollToken as EnrollTokenBody } from '@countersign/contract'
import { fieldError } from '@countersign/core'
import { refusedEnrollment } from '../../enrollment/refused-enrollment.ts'
import { CLIENT } from '../api-paths.ts'
import type { ControllerContext } from '../controller-context.ts'
import type { Call } from '../pipeline/call.ts'
import type { Answer, Route } from '../pipeline/route.ts'
import { controllerView } from '../shared/controller-view.ts'

/** Chooses the signer by its id. */
const SIGNER_HEADER = 'ziti-token-issuer-id'

/** What existing clients call the body. */
const PARAMETER = 'tokenEnrollmentRequest'

/** Enrolling with a provider's token. Every refusal is noted under its request id, for administrators. */
export function createEnrollWithToken(context: ControllerContext): (call: Call) => Promise<Answer> {
  const { enrollByJwt, enrollments, explainSignIn } = context
  return async (call) => {
    const { untrustedBearers: bearers, requestId: id, clientAddress: remoteAddress, source } = call
    const { clientCsr } = call.body as EnrollTokenBody
    // A request that was lost on the way must not become an enrollment to token use.
    if (!call.hasBody) throw fieldError(PARAMETER, `${PARAMETER} in body is required`, '')
    const outcome = await enrollByJwt({
      bearers,
      signerIds: call.untrustedHeaderLines(SIGNER_HEADER),
      // Existing clients send "" when they have none.
      csrPem: clientCsr || undefined,
      source,
      clientAddress: remoteAddress,
    })
    const request = { id, remoteAddr: source.remoteAddr }
    if (!outcome.isEnrolled) {
      const refused = refusedEnrollment({ id, remoteAddress }, outcome, bearers, explainSignIn)
      enrollments.refused(refused, outcome, request)
      throw outcome.error
    }
    enrollments.enrolled(outcome, request)
    const { identityId, certificate } = outcome
    const data = {
      ...(certificate && { cert: certificate.chainPem, ca: certificate.caPem }),
      controllers: [controllerView(context)],
      identityId,
    }
    return { status: 200, headers: { 'cache-control': 'no-store' }, json: { data, meta: {} } }
  }
}

export function enrollTokenRoutes(context: ControllerContext): Route[] {
  return [
    {
      method: 'POST',
      paths: [`${CLIENT}/enroll/token`],
      access: 'anonymous',
      rate: 'sign-in',
      bodyCap: 'anonymous',
      body: { schema: EnrollToken, optional: false, parameter: PARAMETER },
      // Whatever the client accepts: existing ones do not say that they take JSON here.
      produces: 'application/json',
      handle: createEnrollWithToken(context),
    },
  ]
}
