import type { TestApp } from './build-app.ts'

export const IDENTITIES = '/edge/management/v1/identities'
export const AUTHENTICATORS = '/edge/management/v1/authenticators'
export const API_SESSIONS = '/edge/management/v1/api-sessions'
export const OWN_SESSION = '/edge/management/v1/current-api-session'
export const OWN_IDENTITY = '/edge/client/v1/current-identity'

type Body = Record<string, unknown>

let count = 0

/** A body that clashes with no other. */
export function identityBody(members: Body = {}): Body {
  count++
  return { name: `somebody-${count}`, type: 'Default', isAdmin: false, ...members }
}

/** Creates an identity that cannot sign in, and gives back its id. */
export async function createIdentity(app: TestApp, members: Body = {}): Promise<string> {
  const reply = await app.admin('POST', IDENTITIES, identityBody(members))
  if (reply.status !== 201) throw new Error(`create identity: ${reply.status} ${reply.text}`)
  return reply.json.data.id
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export async function identityOf(app: TestApp, id: string): Promise<any> {
  const reply = await app.admin('GET', `${IDENTITIES}/${id}`)
  if (reply.status !== 200) throw new Error(`identity: ${reply.status} ${reply.text}`)
  return reply.json.data
}

/** Gives an identity a password of its own. */
export async function createPassword(app: TestApp, identityId: string, members: Body = {}) {
  count++
  const credentials = { username: `user-${count}`, password: `password-${count}`, ...members }
  const reply = await app.admin('POST', AUTHENTICATORS, { method: 'updb', identityId, ...credentials })
  if (reply.status !== 201) throw new Error(`create authenticator: ${reply.status} ${reply.text}`)
  return { id: reply.json.data.id as string, ...credentials }
}

/** The id of the administrator that every installation begins with. */
export async function defaultAdminId(app: TestApp): Promise<string> {
  const reply = await app.admin('GET', `${IDENTITIES}?filter=isDefaultAdmin`)
  return reply.json.data[0].id
}
