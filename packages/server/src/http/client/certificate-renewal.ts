import {
  AuthenticatorExtend,
  AuthenticatorExtendVerify,
  type AuthenticatorExtend as ExtendBody,
  type AuthenticatorExtendVerify as VerifyBody,
} from '@countersign/contract'
import { AppError, findPemBlocks, readLeafCertificate } from '@countersign/core'
import { notFound } from '../../store/not-found.ts'
import { findAuthenticator } from '../../store/reads/authenticator-reads.ts'
import { CLIENT } from '../api-paths.ts'
import type { ControllerContext } from '../controller-context.ts'
import type { Call } from '../pipeline/call.ts'
import { done } from '../pipeline/envelope.ts'
import { type Route, sessionOf } from '../pipeline/route.ts'
import { writeMeta } from '../pipeline/write-meta.ts'

const ONE = `${CLIENT}/current-identity/authenticators/:id`

/** Renewing one's own certificate, in two steps: a new one is issued, and takes the place of the old one once its holder has it. */
export function certificateRenewalRoutes(context: ControllerContext): Route[] {
  const { store, clock, judgeCertificate, clientCertificates } = context

  /** Whoever has only stolen a session has not the key: the connection must show the certificate that is to be renewed. */
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
        const args = { id, byOwner: identity.id, certPem, fingerprint, publicKeyDigest }
        await store.write('authenticator.stageRenewal', args, writeMeta(call, clock.now()))
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
        const args = { id, byOwner: sessionOf(call).identity.id, fingerprint }
        await store.write('authenticator.finishRenewal', args, writeMeta(call, clock.now()))
        return done()
      },
    },
  ]
}
