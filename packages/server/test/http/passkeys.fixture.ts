import assert from 'node:assert/strict'
import { type CeremonyOptions, SoftwareAuthenticator } from '@countersign/testkit'
import type { CallOptions, Reply, TestApp } from './build-app.ts'
import { createIdentity, createPassword } from './identities.fixture.ts'
import { CONTROLLER_NAME } from './test-nodes.ts'

export const CLIENT = '/edge/client/v1'
export const MANAGEMENT = '/edge/management/v1'
export const PASSKEYS = `${CLIENT}/current-identity/passkeys`
export const COMPLETE = `${CLIENT}/authenticate/passkey`
export const HOST = `${CONTROLLER_NAME}:1280`
export const ORIGIN = `https://${HOST}`
const AT_HOST = { host: HOST }

/** Sends a request under the host name that passkeys are bound to. */
export function callAtHost(
  app: TestApp,
  method: string,
  path: string,
  body?: unknown,
  { headers, ...options }: CallOptions = {},
): Promise<Reply> {
  return app.call(method, path, body, { ...options, headers: { ...AT_HOST, ...headers } })
}

/** A device on pages of the controller. */
export const newDevice = () => new SoftwareAuthenticator(ORIGIN)

/** Creates a policy; without members, one that allows passwords and passkeys. */
export async function createPolicy(
  app: TestApp,
  { allowed = true, requirePasskey = false, ...secondary }: PolicyMembers = {},
): Promise<string> {
  const shown = await app.admin('GET', `${MANAGEMENT}/auth-policies/default`)
  const { name: _name, primary, tags } = shown.json.data
  const reply = await app.admin('POST', `${MANAGEMENT}/auth-policies`, {
    name: `passkeys ${Math.random()}`,
    primary: { ...primary, passkey: { allowed } },
    secondary: { requireTotp: false, requirePasskey, ...secondary },
    tags,
  })
  assert.equal(reply.status, 201, reply.text)
  return reply.json.data.id
}

export interface PolicyMembers {
  readonly allowed?: boolean
  readonly requirePasskey?: boolean
  readonly requireTotp?: boolean
}

/** Creates an identity with a password, a first session, and a policy with these members. */
export async function makePerson(app: TestApp, policy: PolicyMembers = {}, members: Record<string, unknown> = {}) {
  const authPolicyId = await createPolicy(app, policy)
  const id = await createIdentity(app, { authPolicyId, ...members })
  const { username, password } = await createPassword(app, id)
  const logIn = () => app.logIn(username, password)
  return {
    id,
    authPolicyId,
    username,
    password,
    logIn,
    session: await logIn(),
    device: new SoftwareAuthenticator(ORIGIN),
  }
}

export type Person = Awaited<ReturnType<typeof makePerson>>

/** Begins to add a passkey, and returns the options for the browser. */
export async function beginRegistration(app: TestApp, session: string) {
  const begun = await callAtHost(app, 'POST', `${CLIENT}/current-identity/passkey-options`, undefined, { session })
  assert.equal(begun.status, 200, begun.text)
  return begun.json.data
}

/** Adds a passkey of this device. */
export async function register(
  app: TestApp,
  { session, device }: Pick<Person, 'session' | 'device'>,
  options: CeremonyOptions = {},
): Promise<Reply> {
  const credential = await device.create(await beginRegistration(app, session), options)
  return callAtHost(app, 'POST', PASSKEYS, { name: 'laptop', credential }, { session })
}

/** Adds a passkey of this device, and returns its id. */
export async function mustRegister(app: TestApp, person: Pick<Person, 'session' | 'device'>): Promise<string> {
  const reply = await register(app, person)
  assert.equal(reply.status, 201, reply.text)
  return reply.json.data.id
}

export async function beginLogin(app: TestApp) {
  const begun = await callAtHost(app, 'POST', `${CLIENT}/authenticate/passkey-options`)
  assert.equal(begun.status, 200, begun.text)
  return begun.json.data
}

/** Logs in with the latest passkey of this device. */
export async function logInByPasskey(
  app: TestApp,
  device: SoftwareAuthenticator,
  options: CeremonyOptions = {},
): Promise<Reply> {
  return sendLogin(app, await device.get(await beginLogin(app), options))
}

export function sendLogin(app: TestApp, passkey: unknown): Promise<Reply> {
  return callAtHost(app, 'POST', `${CLIENT}/authenticate?method=passkey`, { passkey })
}

/** Completes a session with the latest passkey of this device. */
export async function complete(
  app: TestApp,
  session: string,
  device: SoftwareAuthenticator,
  options: CeremonyOptions = {},
): Promise<Reply> {
  const passkey = await device.get(await beginCompletion(app, session), options)
  return callAtHost(app, 'POST', `${CLIENT}/authenticate/passkey`, { passkey }, { session })
}

export async function beginCompletion(app: TestApp, session: string) {
  const begun = await callAtHost(app, 'POST', `${CLIENT}/current-api-session/passkey-options`, undefined, { session })
  assert.equal(begun.status, 200, begun.text)
  return begun.json.data
}

/** Whether a session is complete. */
export async function isComplete(app: TestApp, session: string): Promise<boolean> {
  return (await app.call('GET', `${CLIENT}/current-identity`, undefined, { session })).status === 200
}

/** The reason of the latest refusal. */
export async function lastReason(app: TestApp, requestId: string): Promise<string> {
  for (;;) {
    const shown = await app.admin('GET', `${MANAGEMENT}/auth-decisions/${requestId}`)
    if (shown.status === 200) return shown.json.data.reason
  }
}
