import { MAX_UNWRITTEN_ACTIVITY_MS } from '../../src/store/session-activity.ts'
import { until } from '../keyset/fake-time.ts'
import type { TestApp } from './build-app.ts'

export const IDENTITIES = '/edge/management/v1/identities'
export const AUTHENTICATORS = '/edge/management/v1/authenticators'
export const API_SESSIONS = '/edge/management/v1/api-sessions'
export const OWN_SESSION = '/edge/management/v1/current-api-session'
export const OWN_IDENTITY = '/edge/client/v1/current-identity'

type Body = Record<string, unknown>

let count = 0

/** A body with a unique name. */
export function identityBody(members: Body = {}): Body {
  count++
  return { name: `identity-${count}`, type: 'Default', isAdmin: false, ...members }
}

/** Creates an identity without credentials and returns its id. */
export async function createIdentity(app: TestApp, members: Body = {}): Promise<string> {
  const reply = await app.admin('POST', IDENTITIES, identityBody(members))
  if (reply.status !== 201) throw new Error(`create identity: ${reply.status} ${reply.text}`)
  return reply.json.data.id
}

// biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
export async function identityOf(app: TestApp, id: string): Promise<any> {
  const reply = await app.admin('GET', `${IDENTITIES}/${id}`)
  if (reply.status !== 200) throw new Error(`identity: ${reply.status} ${reply.text}`)
  return reply.json.data
}

/** Creates a unique password login for an identity. */
export async function createPassword(app: TestApp, identityId: string, members: Body = {}) {
  count++
  const credentials = { username: `user-${count}`, password: `password-${count}`, ...members }
  const reply = await app.admin('POST', AUTHENTICATORS, { method: 'updb', identityId, ...credentials })
  if (reply.status !== 201) throw new Error(`create authenticator: ${reply.status} ${reply.text}`)
  return { id: reply.json.data.id as string, ...credentials }
}

/** Returns the id of the default administrator. */
export async function defaultAdminId(app: TestApp): Promise<string> {
  const reply = await app.admin('GET', `${IDENTITIES}?filter=isDefaultAdmin`)
  return reply.json.data[0].id
}

/** Resolves to the shown expiry of a session when the store has it, except for the last minute, which is not written. */
export async function expiryIsStored(app: TestApp, shown: { id: string; expiresAt: string }): Promise<number> {
  const expiresAt = Date.parse(shown.expiresAt)
  const written = app.store.db
    .selectFrom('api_sessions')
    .select('id')
    .where('id', '=', shown.id)
    .where('expires_at', '>', expiresAt - MAX_UNWRITTEN_ACTIVITY_MS)
  await until(async () => (await written.executeTakeFirst()) !== undefined)
  return expiresAt
}
