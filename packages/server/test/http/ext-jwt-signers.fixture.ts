import { type TestContext, test } from 'node:test'
import { makeTestCertificate } from '@countersign/testkit'
import { type AppOptions, buildApp, type Reply, type TestApp } from './build-app.ts'

/** The collection under the seed's name, and under the one that existing clients know. */
export const SIGNERS = '/edge/management/v1/ext-jwt-signers'
export const OLD_SIGNERS = '/edge/management/v1/external-jwt-signers'
export const CLIENT_SIGNERS = '/edge/client/v1/external-jwt-signers'

type Body = Record<string, unknown>

/** Runs a group of tests over each database, with one controller for the group. */
export function overBothDatabases(
  title: string,
  run: (t: TestContext, app: TestApp) => Promise<void>,
  options: AppOptions = {},
): void {
  for (const database of ['sqlite', 'postgres'] as const) {
    test(`${title}, on ${database}`, async (t) => run(t, await buildApp(t, { ...options, database })))
  }
}

let count = 0

/** A body in the JWKS form that clashes with no other. */
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

/** A body in the certificate form, with a certificate of its own. */
export function certBody(members: Body = {}): Body {
  const { jwksEndpoint: _, ...body } = jwksBody()
  return { ...body, certPem: makeTestCertificate().pem, ...members }
}

/** Creates a signer and gives back its id. */
export async function create(app: TestApp, body: Body = jwksBody()): Promise<string> {
  const reply = await app.admin('POST', SIGNERS, body)
  if (reply.status !== 201) throw new Error(`create: ${reply.status} ${reply.text}`)
  return reply.json.data.id
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export async function detailOf(app: TestApp, id: string): Promise<any> {
  const reply = await app.admin('GET', `${SIGNERS}/${id}`)
  if (reply.status !== 200) throw new Error(`detail: ${reply.status} ${reply.text}`)
  return reply.json.data
}

/** What a reply was, in the fewest words: `201`, or status, code and the field it is about. */
export function outcome({ status, json }: Reply): string {
  if (!json?.error) return String(status)
  const { code, cause } = json.error
  return [status, code, cause?.field].filter((part) => part !== undefined).join(' ')
}

/** The members of `after` that differ from `before`. */
export function changed(before: Body, after: Body): string[] {
  return Object.keys({ ...before, ...after })
    .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
    .toSorted()
}
