import { X509Certificate } from 'node:crypto'
import {
  Enroll,
  type Enroll as EnrollBody,
  EnrollOtt,
  EnrollOttCa,
  EnrollUpdb,
  type EnrollOtt as OttBody,
  type EnrollOttCa as OttCaBody,
} from '@countersign/contract'
import { AppError, fieldError } from '@countersign/core'
import type { Logger } from 'pino'
import type { CaEnrollment } from '../../enrollment/ca-enrollment.ts'
import { EnrollmentRedemption } from '../../enrollment/enrollment-redemption.ts'
import type { Clock } from '../../platform/clock.ts'
import type { ClientCertificates } from '../../platform/keys/client-certificates.ts'
import type { ServerIdentity } from '../../platform/keys/server-identity.ts'
import { jwtAlgorithmOf } from '../../platform/keys/sign-jwt.ts'
import type { Store } from '../../store/store.ts'
import { CLIENT } from '../api-paths.ts'
import type { Call } from '../pipeline/call.ts'
import { detail, done } from '../pipeline/envelope.ts'
import type { Route, RouteBody, RouteResponse } from '../pipeline/route.ts'
import { describe, type RouteNote } from '../pipeline/route-note.ts'
import { controllerView } from '../shared/controller-view.ts'
import { digestNewPassword, type NewPasswordParts } from '../shared/new-password.ts'
import { type EnrollTokenParts, enrollWithToken } from './enroll-token.ts'

interface EnrollRouteParts extends EnrollTokenParts, NewPasswordParts {
  readonly store: Store
  readonly clock: Clock
  readonly log: Logger
  readonly clientCertificates: Pick<ClientCertificates, 'issue'>
  readonly serverIdentity: () => ServerIdentity
  readonly caEnrollment: Pick<CaEnrollment, 'enroll' | 'redeem'>
}

/** Existing clients send the bare certificate request under one of these media types. */
const RAW_CSR = { types: ['application/x-pem-file', 'application/pkcs7', 'text/plain'], member: 'clientCsr' }

/** Enrollment methods of other controllers, always refused: this one has no routers. */
const UNSUPPORTED: readonly (readonly [path: string, summary: string])[] = [
  ['erott', 'Enroll an edge router: not supported, always a 400'],
  ['extend/router', 'Renew the certificates of a router: not supported, always a 400'],
  ['challenge', 'Request a challenge: not supported, always a 400'],
]

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const ENROLL = describe.one('Enrolled', 'Enroll by the method given', {
  parameters: ['enrollMethod', 'oneTimeToken'],
  description: 'The body may also be a certificate signing request in PEM.',
})
const ENROLL_OTT = describe.one('Enrolled', 'Enroll with a one-time token, for a certificate')
const ENROLL_OTTCA = describe.one('Enrolled', 'Enroll with a one-time token and a certificate of a third-party CA', {
  description: 'The TLS connection presents the certificate.',
})
const ENROLL_CA = describe.done('Enroll with a certificate of a third-party CA', {
  description: 'The TLS connection presents the certificate. `name` is used when the CA’s format for names has it.',
})
const ENROLL_UPDB = describe.one('Enrolled', 'Enroll with a one-time token, for a password', {
  parameters: ['oneTimeToken'],
})

/** Exchanges an enrollment token for a credential. Anonymous: the token identifies the caller. */
export function enrollRoutes(parts: EnrollRouteParts): Route[] {
  const redeem = new EnrollmentRedemption({
    store: parts.store,
    clock: parts.clock,
    log: parts.log,
    clientCertificates: parts.clientCertificates,
    digestNewPassword: (identity, password) => digestNewPassword(parts, identity, password),
  })

  const { caEnrollment } = parts

  /** Must not be cached: the response contains a credential. */
  const credentialResponse = (data: object): RouteResponse => ({
    ...detail({ ...data, controllers: [controllerView(parts)] }),
    headers: { 'cache-control': 'no-store' },
  })
  const enrollByOtt = async (call: Call, { token = '', clientCsr = '' }: OttBody) => {
    const { chainPem, caPem } = await redeem.certificate(token, clientCsr, call.source)
    return credentialResponse({ cert: chainPem, ca: caPem })
  }
  const enrollByPassword = async (call: Call) => {
    const { password } = call.body as EnrollBody
    return credentialResponse(await redeem.password(tokenOf(call), password, call.source))
  }
  const enrollByOttCa = async (call: Call, token: string) => {
    await caEnrollment.redeem(token, call.clientCertificate(), call.source)
    return credentialResponse({})
  }
  /** The response names neither the identity nor the CA. */
  const enrollByCa = async (call: Call) => {
    const token = tokenOf(call)
    if (token !== '' && !UUID.test(token)) throw fieldError('token', 'token in query must be of type uuid', '')
    await caEnrollment.enroll(call.clientCertificate(), (call.body as EnrollBody).name, call.source)
    return done()
  }
  const methods: Readonly<Record<string, (call: Call) => Promise<RouteResponse>>> = {
    ott: (call) => enrollByOtt(call, { ...(call.body as EnrollBody), token: tokenOf(call) }),
    ottca: (call) => enrollByOttCa(call, tokenOf(call)),
    ca: enrollByCa,
    updb: enrollByPassword,
    token: (call) => enrollWithToken(parts, call),
  }

  const row = (path: string, body: RouteBody, note: RouteNote, handle: Route['handle']): Route => {
    const paths = [`${CLIENT}/enroll${path}`]
    return {
      method: 'POST',
      paths,
      access: 'anonymous',
      rate: 'attempt',
      bodyCap: 'anonymous',
      body,
      note,
      unacceptable: 'UNSUPPORTED_MEDIA',
      handle,
    }
  }

  return [
    row('', { schema: Enroll, optional: true, text: RAW_CSR }, ENROLL, async (call) => {
      const method = call.query.get('method') || (await redeem.methodOf(tokenOf(call)))
      const enroll = Object.hasOwn(methods, method) ? methods[method] : undefined
      if (!enroll) throw unknownMethod(method)
      return enroll(call)
    }),
    row('/ott', { schema: EnrollOtt, optional: false }, ENROLL_OTT, (call) => enrollByOtt(call, call.body as OttBody)),
    row('/ottca', { schema: EnrollOttCa, optional: true, text: RAW_CSR }, ENROLL_OTTCA, (call) => {
      return enrollByOttCa(call, (call.body as OttCaBody).token ?? '')
    }),
    row('/ca', { schema: Enroll, optional: true, text: RAW_CSR }, ENROLL_CA, enrollByCa),
    row('/updb', { schema: EnrollUpdb, optional: false }, ENROLL_UPDB, enrollByPassword),
    ...UNSUPPORTED.map(([path, summary]) => {
      return row(`/${path}`, { schema: Enroll, optional: true, text: RAW_CSR }, describe.done(summary), () => {
        throw unknownMethod(path)
      })
    }),
    {
      method: 'GET',
      paths: [`${CLIENT}/enroll/jwks`],
      access: 'anonymous',
      rate: 'none',
      bodyCap: 'anonymous',
      body: null,
      note: describe.other('A JWKS (RFC 7517)', 'Get the keys that sign enrollment tokens'),
      handle: () => ({ status: 200, json: { keys: [controllerJwk(parts.serverIdentity())] } }),
    },
  ]
}

/** The public key of the server certificate, under the `kid` of the JWTs that it signs. */
function controllerJwk({ key, fingerprint, certificatePem }: ServerIdentity) {
  const { raw, publicKey } = new X509Certificate(certificatePem)
  return {
    ...publicKey.export({ format: 'jwk' }),
    kid: fingerprint,
    use: 'sig',
    alg: jwtAlgorithmOf(key),
    x5c: [raw.toString('base64')],
  }
}

const tokenOf = ({ query }: Call): string => query.get('token') ?? ''

function unknownMethod(method: string): AppError {
  const reason = 'the method must be ott, ottca, ca, updb or token'
  return new AppError('INVALID_ENROLL_METHOD', { field: 'method', reason, value: method.slice(0, 128) })
}
