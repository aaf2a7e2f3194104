import { EnrollToken, type EnrollToken as EnrollTokenBody } from '@countersign/contract'
import { fieldError, type StepUpReason } from '@countersign/core'
import { type EnrollAndReportParts, enrollAndReport } from '../../enrollment/enroll-and-report.ts'
import { isPossessionReason } from '../../token/possession-challenge.ts'
import { CLIENT } from '../api-paths.ts'
import type { Call } from '../pipeline/call.ts'
import { refusedPossession, StepUpError } from '../pipeline/challenge.ts'
import type { Route, RouteResponse } from '../pipeline/route.ts'
import { describe } from '../pipeline/route-note.ts'
import { type ControllerViewParts, controllerView } from '../shared/controller-view.ts'

export interface EnrollTokenParts extends EnrollAndReportParts, ControllerViewParts {}

/** Chooses the signer by its id. */
const SIGNER_HEADER = 'ziti-token-issuer-id'

/** The name of the body in the error texts that existing clients know. */
const PARAMETER = 'tokenEnrollmentRequest'

/** Enrolls the caller with a token of an identity provider. */
export async function enrollWithToken(parts: EnrollTokenParts, call: Call): Promise<RouteResponse> {
  const { untrustedBearers: bearers, requestId, clientAddress, tokenContext, source } = call
  const { clientCsr } = call.body as EnrollTokenBody
  // A request whose body was lost in transit must not become an enrollment for token login.
  if (!call.hasBody) throw fieldError(PARAMETER, `${PARAMETER} in body is required`, '')
  const result = await enrollAndReport(parts, requestId, {
    bearers,
    signerIds: call.untrustedHeaderLines(SIGNER_HEADER),
    // Existing clients send "" when they have none.
    csrPem: clientCsr || undefined,
    source,
    clientAddress,
    tokenContext,
  })
  if (!result.isEnrolled) {
    const { reason, requirements, error, signer } = result
    if (isPossessionReason(reason) && reason !== 'token-used') throw refusedPossession(reason, signer)
    // A valid token of a login that is too weak or too old gets the requirements, as at a login.
    throw requirements ? new StepUpError(reason as StepUpReason, requirements) : error
  }
  const { identityId, certificate } = result
  const data = {
    ...(certificate && { cert: certificate.chainPem, ca: certificate.caPem }),
    controllers: [controllerView(parts)],
    identityId,
  }
  return { status: 200, headers: { 'cache-control': 'no-store' }, json: { data, meta: {} } }
}

export function enrollTokenRoutes(parts: EnrollTokenParts): Route[] {
  return [
    {
      method: 'POST',
      paths: [`${CLIENT}/enroll/token`],
      access: 'anonymous',
      rate: 'attempt',
      bodyCap: 'anonymous',
      body: { schema: EnrollToken, optional: false, parameter: PARAMETER },
      note: describe.one(
        'Enrolled',
        'Enroll with a token of an identity provider, for a certificate or for token login',
        {
          parameters: ['tokenIssuerId'],
          acceptsToken: true,
          description:
            'The token is in `Authorization: Bearer`. With a certificate signing request in `clientCsr` the response contains a certificate; without it the client logs in with tokens of the same signer.',
        },
      ),
      // Sent whatever `Accept` says: existing clients do not list JSON here.
      produces: 'application/json',
      handle: (call) => enrollWithToken(parts, call),
    },
  ]
}
