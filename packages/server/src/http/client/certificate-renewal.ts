import {
  AuthenticatorExtend,
  AuthenticatorExtendVerify,
  type AuthenticatorExtend as ExtendBody,
  type AuthenticatorExtendVerify as VerifyBody,
} from '@countersign/contract'
import { AppError, findPemBlocks, readLeafCertificate } from '@countersign/core'
import { type RenewCertificateParts, renewCertificate } from '../../enrollment/renew-certificate.ts'
import type { AttemptLimits } from '../../limits/attempt-limits.ts'
import type { CertificateCheck } from '../../login/certificate-check.ts'
import { finishRenewal } from '../../operations/authenticator/renew-certificate.ts'
import type { Clock } from '../../platform/clock.ts'
import { notFound } from '../../store/not-found.ts'
import { findAuthenticator } from '../../store/reads/authenticator-reads.ts'
import type { Store } from '../../store/store.ts'
import { CLIENT } from '../api-paths.ts'
import type { Call } from '../pipeline/call.ts'
import { done } from '../pipeline/envelope.ts'
import { operationMeta } from '../pipeline/operation-meta.ts'
import { type Route, sessionOf } from '../pipeline/route.ts'
import { describe } from '../pipeline/route-note.ts'

interface CertificateRenewalRouteParts extends RenewCertificateParts {
  readonly store: Pick<Store, 'db' | 'run'>
  readonly clock: Clock
  readonly certificates: Pick<CertificateCheck, 'check'>
  readonly limits: Pick<AttemptLimits, 'renewal'>
}

const ONE = `${CLIENT}/current-identity/authenticators/:id`

/**
 * Renewal of the caller's own certificate in two steps: a new one is issued, and it replaces the old one once the client confirms that it
 * has it.
 */
export function certificateRenewalRoutes(parts: CertificateRenewalRouteParts): Route[] {
  const { store, clock, certificates, limits } = parts

  /**
   * Returns the fingerprint of the certificate that the connection presents, which must be the one to renew: a stolen session token comes
   * without its private key.
   */
  const checkCurrentCertificate = async (call: Call, id: string): Promise<string> => {
    const { identity } = sessionOf(call)
    const authenticator = await findAuthenticator(store.db, id, identity.id)
    if (!authenticator) throw notFound('authenticator', id)
    if (authenticator.ca_fingerprint !== null) throw notOurs()
    const checked = await certificates.check(call.clientCertificate())
    if (!checked.accepted || checked.authenticator?.id !== id) throw new AppError('UNAUTHORIZED')
    return checked.authenticator.fingerprint ?? ''
  }

  return [
    {
      method: 'POST',
      paths: [`${ONE}/extend`],
      access: 'any-session',
      bodyCap: 'anonymous',
      body: { schema: AuthenticatorExtend, optional: false },
      note: describe.one('RenewedCertificate', 'Renew the caller’s certificate', {
        description: 'The connection must present the certificate to renew.',
      }),
      handle: async (call) => {
        const { id = '' } = call.params
        limits.renewal.begin(sessionOf(call).identity.id)
        const presented = await checkCurrentCertificate(call, id)
        const { clientCertCsr: csrPem } = call.body as ExtendBody
        const issued = await renewCertificate(parts, { id, presented, csrPem }, operationMeta(call, clock.now()))
        return { status: 200, json: { data: { clientCert: issued.chainPem, ca: issued.caPem }, meta: {} } }
      },
    },
    {
      method: 'POST',
      paths: [`${ONE}/extend-verify`],
      access: 'any-session',
      bodyCap: 'anonymous',
      body: { schema: AuthenticatorExtendVerify, optional: false },
      note: describe.done('Replace the old certificate with the renewed one'),
      handle: async (call) => {
        const { id = '' } = call.params
        const [der] = findPemBlocks((call.body as VerifyBody).clientCert, 'CERTIFICATE') ?? []
        const fingerprint = (der && readLeafCertificate(der))?.fingerprint ?? ''
        await store.run(finishRenewal, { id, fingerprint }, operationMeta(call, clock.now()))
        return done()
      },
    },
  ]
}

function notOurs(): AppError {
  return new AppError('CAN_NOT_UPDATE_AUTHENTICATOR', { message: 'another CA issued the certificate' })
}
