import { type TestContext, test } from 'node:test'
import { makeTestCertificate } from '@countersign/testkit'
import { type AppOptions, buildApp, type Reply, type TestApp } from './build-app.ts'

/** The collection under its documented name, and under the name that existing clients use. */
export const SIGNERS = '/edge/management/v1/ext-jwt-signers'
export const OLD_SIGNERS = '/edge/management/v1/external-jwt-signers'
export const CLIENT_SIGNERS = '/edge/client/v1/external-jwt-signers'

type Body = Record<string, unknown>

/** Runs a group of tests with one controller for the group. */
export function testWithApp(
  title: string,
  run: (t: TestContext, app: TestApp) => Promise<void>,
  options: AppOptions = {},
): void {
  test(title, async (t) => run(t, await buildApp(t, options)))
}

let count = 0

/** A JWKS signer with unique values. */
export function jwksBody(members: Body = {}): Body {
  count++
  return {
    name: `signer-${count}`,
    enabled: true,
    issuer: `https://idp-${count}.example`,
    audience: 'edge',
    jwksEndpoint: `https://idp-${count}.example/keys`,
    ...members,
  }
}

/** A certificate signer with a new certificate. */
export function certBody(members: Body = {}): Body {
  const { jwksEndpoint: _, ...body } = jwksBody()
  return { ...body, certPem: makeTestCertificate().pem, ...members }
}

/** Creates a signer and returns its id. */
export async function create(app: TestApp, body: Body = jwksBody()): Promise<string> {
  const reply = await app.admin('POST', SIGNERS, body)
  if (reply.status !== 201) throw new Error(`create: ${reply.status} ${reply.text}`)
  return reply.json.data.id
}

/** The signer as shown, without the time of the next key fetch, which each node sets for itself. */
export async function detailOf(
  app: TestApp,
  id: string,
  { collection = SIGNERS, session = app.adminSession } = {},
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
): Promise<any> {
  const reply = await app.call('GET', `${collection}/${id}`, undefined, { session })
  if (reply.status !== 200) throw new Error(`detail: ${reply.status} ${reply.text}`)
  const { nextRefreshAt, ...keyStatus } = reply.json.data.keyStatus
  return { ...reply.json.data, keyStatus }
}

/** The signer as saved: without the state of its keys, which change when the controller fetches them on its own. */
export async function savedOf(...args: Parameters<typeof detailOf>) {
  const { keyStatus, ...saved } = await detailOf(...args)
  return saved
}

/** Summarizes a reply: `201`, or status, code and field. */
export function summarize({ status, json }: Reply): string {
  if (!json?.error) return String(status)
  const { code, cause } = json.error
  return [status, code, cause?.field].filter((part) => part !== undefined).join(' ')
}

/** Lists the members of `after` that differ from `before`, without `trust`, whose time changes with every write of a security member. */
export function changed(before: Body, after: Body): string[] {
  return Object.keys({ ...before, ...after })
    .filter((name) => name !== 'trust' && JSON.stringify(before[name]) !== JSON.stringify(after[name]))
    .toSorted()
}
