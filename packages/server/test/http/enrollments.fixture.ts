import { randomUUID } from 'node:crypto'
import type { CallOptions, Reply, TestApp } from './build-app.ts'
import { createIdentity, identityOf } from './identities.fixture.ts'

export const ENROLLMENTS = '/edge/management/v1/enrollments'
export const ENROLL = '/edge/client/v1/enroll'
const HOUR_MS = 3_600_000

type Body = Record<string, unknown>

export const inAnHour = (app: TestApp): string => new Date(app.clock.now() + HOUR_MS).toISOString()

/** The body of an enrollment for an existing identity. */
export function enrollmentBody(app: TestApp, identityId: string, members: Body = {}): Body {
  return { method: 'ott', identityId, expiresAt: inAnHour(app), ...members }
}

/** Creates an identity with a one-time token. Returns its id, the enrollment's id and the token. */
export async function createEnrolling(app: TestApp, members: Body = {}) {
  const identityId = await createIdentity(app, { enrollment: { ott: true }, ...members })
  const { ott, updb } = (await identityOf(app, identityId)).enrollment
  const { id, token, jwt } = ott ?? updb
  return { identityId, id: id as string, token: token as string, jwt: jwt as string }
}

/** Like `createEnrolling`, for a password login with a unique user name. */
export async function createEnrollingPassword(app: TestApp, members: Body = {}) {
  const username = `user-${randomUUID()}`
  return { username, ...(await createEnrolling(app, { enrollment: { updb: username }, ...members })) }
}

/** The token of an enrollment, as an administrator reads it. */
export async function tokenOf(app: TestApp, id: string): Promise<string> {
  return (await app.admin('GET', `${ENROLLMENTS}/${id}`)).json.data.token
}

/** Redeems a token with a certificate request, as existing clients do. */
export function enrollWithCsr(app: TestApp, token: string, csr: string, options: CallOptions = {}): Promise<Reply> {
  const headers = { 'content-type': 'application/x-pem-file', ...options.headers }
  return app.call('POST', `${ENROLL}?method=ott&token=${token}`, undefined, { ...options, headers, raw: csr })
}

export function enrollWithPassword(app: TestApp, token: string, password: string, members: Body = {}): Promise<Reply> {
  return app.call('POST', `${ENROLL}/updb?token=${token}`, { password, ...members })
}

/** Decodes a JWT without verifying it. */
export function decodeJwt(jwt: string) {
  const [header = '', claims = ''] = jwt.split('.')
  const decode = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())
  return { header: decode(header), claims: decode(claims) }
}
