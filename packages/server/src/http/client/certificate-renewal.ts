import {
  AuthenticatorExtend,
  AuthenticatorExtendVerify,
  type AuthenticatorExtend as ExtendBody,
  type AuthenticatorExtendVerify as VerifyBody,
} from '@countersign/contract'
import { AppError, findPemBlocks, needsRenewalToken, readLeafCertificate, renewalSignersOf } from '@countersign/core'
import { type RenewCertificateParts, renewCertificate } from '../../enrollment/renew-certificate.ts'
import type { AttemptLimits } from '../../limits/attempt-limits.ts'
import type { CertificateCheck } from '../../login/certificate-check.ts'
import type { MissingFactor, SecondFactor } from '../../login/second-factor.ts'
import { finishRenewal } from '../../operations/authenticator/renew-certificate.ts'
import type { Clock } from '../../platform/clock.ts'
import { notFound } from '../../store/not-found.ts'
import { findAuthenticator } from '../../store/reads/authenticator-reads.ts'
import type { AuthenticatorRow } from '../../store/schema.ts'
import type { Store } from '../../store/store.ts'
import { CLIENT } from '../api-paths.ts'
import type { Call } from '../pipeline/call.ts'
import { missingFactors } from '../pipeline/challenge.ts'
import { done } from '../pipeline/envelope.ts'
import { operationMeta } from '../pipeline/operation-meta.ts'
import { type Route, sessionOf } from '../pipeline/route.ts'
import { describe } from '../pipeline/route-note.ts'

interface CertificateRenewalRouteParts extends RenewCertificateParts {
  readonly store: Pick<Store, 'db' | 'run'>
  readonly clock: Clock
  readonly certificates: Pick<CertificateCheck, 'check'>
  readonly limits: Pick<AttemptLimits, 'renewal'>
  readonly secondFactor: Pick<SecondFactor, 'checkToken'>
}

const ONE = `${CLIENT}/current-identity/authenticators/:id`

/**
 * Renewal of the caller's own certificate in two steps: a new one is issued, and it replaces the old one once the client confirms that it
 * has it.
 */
export function certificateRenewalRoutes(parts: CertificateRenewalRouteParts): Route[] {
  const { store, clock, certificates, limits, secondFactor } = parts

  /** Returns the authenticator whose certificate the connection presents, which must be the one to renew: a stolen session token comes without its private key. */
  const checkCurrentCertificate = async (call: Call, id: string): Promise<AuthenticatorRow> => {
    const { identity } = sessionOf(call)
    const authenticator = await findAuthenticator(store.db, id, identity.id)
    if (!authenticator) throw notFound('authenticator', id)
    if (authenticator.ca_fingerprint !== null) throw notOurs()
    const checked = await certificates.check(call.clientCertificate())
    if (!checked.accepted || checked.authenticator?.id !== id) throw new AppError('UNAUTHORIZED')
    return authenticator
  }

  /** Returns the signer of a token that came with the request; null when none is required. Throws the challenge when one is missing. */
  const checkRenewalToken = async (call: Call, { token_seen_at: seenAt }: AuthenticatorRow) => {
    const session = sessionOf(call)
    if (!session.policy.certificate.renewalNeedsToken) return null
    const missing: MissingFactor[] = []
    for (const signerId of renewalSignersOf(session.identity)) {
      const checked = await secondFactor.checkToken(session, signerId, call.untrustedBearers, call.tokenContext)
      if (!('kind' in checked)) return checked
      missing.push(checked)
    }
    if (needsRenewalToken(session.policy, seenAt, clock.now())) throw missingFactors(missing)
    return null
  }

  return [
    {
      method: 'POST',
      paths: [`${ONE}/extend`],
      access: 'any-session',
      bodyCap: 'anonymous',
      body: { schema: AuthenticatorExtend, optional: false },
      note: describe.one('RenewedCertificate', 'Renew the caller’s certificate', {
        description:
          'The connection must present the certificate to renew. The policy can require a token of the signer that enrolled the identity.',
      }),
      handle: async (call) => {
        const { id = '' } = call.params
        const authenticator = await checkCurrentCertificate(call, id)
        // Not before: a thief of a session, who lacks the key, must not use up the renewals of its owner.
        limits.renewal.begin(sessionOf(call).identity.id)
        const { clientCertCsr: csrPem } = call.body as ExtendBody
        const { policy } = sessionOf(call)
        const token = await checkRenewalToken(call, authenticator)
        const request = { id, presented: authenticator.fingerprint ?? '', csrPem, policy, token }
        const issued = await renewCertificate(parts, request, operationMeta(call, clock.now()))
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
