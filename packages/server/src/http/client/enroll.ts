import {
  Enroll,
  type Enroll as EnrollBody,
  EnrollOtt,
  EnrollUpdb,
  type EnrollOtt as OttBody,
} from '@countersign/contract'
import { AppError, fieldError } from '@countersign/core'
import { createRedeemEnrollment } from '../../enrollment/redeem-enrollment.ts'
import { CLIENT } from '../api-paths.ts'
import type { ControllerContext } from '../controller-context.ts'
import type { Call } from '../pipeline/call.ts'
import { detail } from '../pipeline/envelope.ts'
import type { Answer, Route, RouteBody } from '../pipeline/route.ts'
import { controllerView } from '../shared/controller-view.ts'
import { digestNewPassword } from '../shared/new-password.ts'
import { createEnrollWithToken } from './enroll-token.ts'

/** Existing clients send their certificate request as it stands, under one of these names. */
const RAW_CSR = { types: ['application/x-pem-file', 'application/pkcs7', 'text/plain'], member: 'clientCsr' }

/** Ways to enroll that exist elsewhere: here are no third-party CAs and no routers. */
const FOREIGN_PATHS = ['ottca', 'ca', 'erott', 'extend/router', 'challenge']

const JWKS_TEXT = 'operation enroll.GetEnrollmentJwks has not yet been implemented'

/** Where whoever was made ahead of time comes to a credential of his own. Anonymous: the token says who he is. */
export function enrollRoutes(context: ControllerContext): Route[] {
  const redeem = createRedeemEnrollment({
    ...context,
    digestNewPassword: (identity, password) => digestNewPassword(context, identity, password),
  })

  /** The token is a secret until it is used, and the answer a credential. */
  const answer = (data: object): Answer => ({
    ...detail({ ...data, controllers: [controllerView(context)] }),
    headers: { 'cache-control': 'no-store' },
  })
  const enrollByOtt = async (call: Call, { token = '', clientCsr = '' }: OttBody) => {
    const { chainPem, caPem } = await redeem.certificate(token, clientCsr, call.source)
    return answer({ cert: chainPem, ca: caPem })
  }
  const enrollByPassword = async (call: Call) => {
    const { password } = call.body as EnrollBody
    if (!password) throw fieldError('password', 'password in body is required', undefined)
    return answer(await redeem.password(tokenOf(call), password, call.source))
  }
  const methods: Readonly<Record<string, (call: Call) => Promise<Answer>>> = {
    ott: (call) => enrollByOtt(call, { ...(call.body as EnrollBody), token: tokenOf(call) }),
    updb: enrollByPassword,
    token: createEnrollWithToken(context),
  }

  const row = (path: string, body: RouteBody, handle: Route['handle']): Route => {
    const paths = [`${CLIENT}/enroll${path}`]
    return {
      method: 'POST',
      paths,
      access: 'anonymous',
      rate: 'sign-in',
      bodyCap: 'anonymous',
      body,
      unacceptable: 'UNSUPPORTED_MEDIA',
      handle,
    }
  }

  return [
    row('', { schema: Enroll, optional: true, text: RAW_CSR }, (call) => {
      const method = call.query.get('method') || 'ott'
      const enroll = Object.hasOwn(methods, method) ? methods[method] : undefined
      if (!enroll) throw unknownMethod(method)
      return enroll(call)
    }),
    row('/ott', { schema: EnrollOtt, optional: false }, (call) => enrollByOtt(call, call.body as OttBody)),
    row('/updb', { schema: EnrollUpdb, optional: false }, enrollByPassword),
    ...FOREIGN_PATHS.map((path) => {
      return row(`/${path}`, { schema: Enroll, optional: true, text: RAW_CSR }, () => {
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
      handle: () => ({ status: 501, json: JWKS_TEXT }),
    },
  ]
}

const tokenOf = ({ query }: Call): string => query.get('token') ?? ''

function unknownMethod(method: string): AppError {
  const reason = 'the ways to enroll here are ott, updb and token'
  return new AppError('INVALID_ENROLL_METHOD', { field: 'method', reason, value: method.slice(0, 128) })
}
