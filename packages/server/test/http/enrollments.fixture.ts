import { randomUUID } from 'node:crypto'
import type { CallOptions, Reply, TestApp } from './build-app.ts'
import { createIdentity, identityOf } from './identities.fixture.ts'

export const ENROLLMENTS = '/edge/management/v1/enrollments'
export const ENROLL = '/edge/client/v1/enroll'
const HOUR_MS = 3_600_000

type Body = Record<string, unknown>

export const inAnHour = (app: TestApp): string => new Date(app.clock.now() + HOUR_MS).toISOString()

/** A body for an identity that waits to be enrolled. */
export function enrollmentBody(app: TestApp, identityId: string, members: Body = {}): Body {
  return { method: 'ott', identityId, expiresAt: inAnHour(app), ...members }
}

/** An identity that was made with a one-time token: its id, the enrollment's and the token. */
export async function createEnrolling(app: TestApp, members: Body = {}) {
  const identityId = await createIdentity(app, { enrollment: { ott: true }, ...members })
  const { ott, updb } = (await identityOf(app, identityId)).enrollment
  const { id, token, jwt } = ott ?? updb
  return { identityId, id: id as string, token: token as string, jwt: jwt as string }
}

/** One that will choose a password for a user name of its own. */
export async function createEnrollingPassword(app: TestApp, members: Body = {}) {
  const username = `user-${randomUUID()}`
  return { username, ...(await createEnrolling(app, { enrollment: { updb: username }, ...members })) }
}

/** The token of an enrollment as an administrator reads it. */
export async function tokenOf(app: TestApp, id: string): Promise<string> {
  return (await app.admin('GET', `${ENROLLMENTS}/${id}`)).json.data.token
}

/** Trades a token and a certificate request, as existing clients do it. */
export function enrollWithCsr(app: TestApp, token: string, csr: string, options: CallOptions = {}): Promise<Reply> {
  const headers = { 'content-type': 'application/x-pem-file', ...options.headers }
  return app.call('POST', `${ENROLL}?method=ott&token=${token}`, undefined, { ...options, headers, raw: csr })
}

export function enrollWithPassword(app: TestApp, token: string, password: string, members: Body = {}): Promise<Reply> {
  return app.call('POST', `${ENROLL}/updb?token=${token}`, { password, ...members })
}

/** The claims and header of a JWT, not verified. */
export function decodeJwt(jwt: string) {
  const [header = '', claims = ''] = jwt.split('.')
  const decode = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())
  return { header: decode(header), claims: decode(claims) }
}
