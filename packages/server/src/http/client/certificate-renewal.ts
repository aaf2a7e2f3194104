import {
  AuthenticatorExtend,
  AuthenticatorExtendVerify,
  type AuthenticatorExtend as ExtendBody,
  type AuthenticatorExtendVerify as VerifyBody,
} from '@countersign/contract'
import { AppError, findPemBlocks, readLeafCertificate } from '@countersign/core'
import { finishRenewal, stageRenewal } from '../../operations/authenticator/renew-certificate.ts'
import { notFound } from '../../store/not-found.ts'
import { findAuthenticator } from '../../store/reads/authenticator-reads.ts'
import { CLIENT } from '../api-paths.ts'
import type { ControllerContext } from '../controller-context.ts'
import type { Call } from '../pipeline/call.ts'
import { done } from '../pipeline/envelope.ts'
import { operationMeta } from '../pipeline/operation-meta.ts'
import { type Route, sessionOf } from '../pipeline/route.ts'

const ONE = `${CLIENT}/current-identity/authenticators/:id`

/** Renewing one's own certificate, in two steps: a new one is issued, and takes the place of the old one once its holder has it. */
export function certificateRenewalRoutes(context: ControllerContext): Route[] {
  const { store, clock, judgeCertificate, clientCertificates } = context

  /** The connection must present the certificate that is to be renewed: a stolen session does not come with its key. */
  const checkCurrentCertificate = async (call: Call, id: string): Promise<void> => {
    const { identity } = sessionOf(call)
    if (!(await findAuthenticator(store.db, id, identity.id))) throw notFound('authenticator', id)
    const judged = await judgeCertificate(call.clientCertificate())
    if (!judged.accepted || judged.authenticator.id !== id) throw new AppError('UNAUTHORIZED')
  }

  return [
    {
      method: 'POST',
      paths: [`${ONE}/extend`],
      access: 'any-session',
      bodyCap: 'anonymous',
      body: { schema: AuthenticatorExtend, optional: false },
      handle: async (call) => {
        const { id = '' } = call.params
        const { identity } = sessionOf(call)
        await checkCurrentCertificate(call, id)
        const { clientCertCsr } = call.body as ExtendBody
        const issued = await clientCertificates.issue(clientCertCsr, identity.id)
        const { chainPem: certPem, fingerprint, publicKeyDigest } = issued
        const args = { id, certPem, fingerprint, publicKeyDigest }
        await store.run(stageRenewal, args, operationMeta(call, clock.now()))
        return { status: 200, json: { data: { clientCert: issued.chainPem, ca: issued.caPem }, meta: {} } }
      },
    },
    {
      method: 'POST',
      paths: [`${ONE}/extend-verify`],
      access: 'any-session',
      bodyCap: 'anonymous',
      body: { schema: AuthenticatorExtendVerify, optional: false },
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
