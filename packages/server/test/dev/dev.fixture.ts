/** A controller with the local provider and the demo data, in one process. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { pino } from 'pino'
import { ensureDemoData, type LocalProvider, registerLocally, startLocalProvider } from '../../src/dev/index.ts'
import { AccountClients } from '../../src/hosted/account-clients.ts'
import { AccountJobs } from '../../src/hosted/account-jobs.ts'
import { ApiAccounts } from '../../src/hosted/api-accounts.ts'
import { createAdministrations } from '../../src/outbound/administration/administrations.ts'
import { createClientRegistration } from '../../src/outbound/client-registration.ts'
import { createFetchDocument } from '../../src/outbound/fetch-document.ts'
import { createFetchJwks } from '../../src/outbound/jwks-fetch.ts'
import { createSealing } from '../../src/platform/keys/sealing.ts'
import { type AppOptions, buildApp, TEST_SEALING_KEY, type TestApp } from '../http/build-app.ts'

export const BASE_URL = 'https://127.0.0.1:1280'
export const HOSTED_AUDIENCE_URL = `${BASE_URL}/`
export const CREDENTIAL_FILES = {
  cognito: 'credentials.json',
  auth0: 'credentials-hosted-platform.json',
  oidc: 'credentials-enterprise.json',
} as const
export type DemoKindName = keyof typeof CREDENTIAL_FILES

export interface Credentials {
  readonly clientId: string
  readonly password: string
  readonly authenticationUrl: string
}

interface JsonResponse {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
  readonly json: any
}

const silent = pino({ level: 'silent' })

export function makeFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-dev-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Starts a provider on any free port. It ends with the test. */
export async function startProvider(t: TestContext, folder = makeFolder(t), port = 0): Promise<LocalProvider> {
  const provider = await startLocalProvider({
    stateFile: join(folder, 'local-provider.json'),
    port,
    defaultPort: 0,
    log: silent,
  })
  t.after(() => provider.close())
  provider.serveAudiences([HOSTED_AUDIENCE_URL])
  return provider
}

/** Creates the demo data of an app at a provider, as the start does. */
export async function makeDemoData(
  { store, clock, settings }: TestApp,
  provider: LocalProvider,
  dataDir: string,
  hostedAudiences: readonly [string, ...string[]] = [HOSTED_AUDIENCE_URL],
): Promise<void> {
  const sealing = createSealing(TEST_SEALING_KEY)
  const fetchDocument = createFetchDocument({ settings })
  const registration = registerLocally(provider, createClientRegistration(fetchDocument))
  const administrations = createAdministrations({ fetchDocument, clock, registration })
  const accountClients = new AccountClients({ administrations, sealing, store, clock, log: silent })
  const accountJobs = new AccountJobs({ store, clock, log: silent, accountClients })
  const apiAccounts = new ApiAccounts({ store, accountClients, accountJobs })
  await ensureDemoData({ provider, store, clock, sealing, apiAccounts, dataDir, hostedAudiences })
}

export async function setUpDev(t: TestContext, options: AppOptions = {}) {
  const folder = makeFolder(t)
  const provider = await startProvider(t, folder)
  const app = await buildRealApp(t, options)
  await makeDemoData(app, provider, folder)
  return { folder, provider, app, readCredentials: (kind: DemoKindName) => readCredentials(folder, kind) }
}

/** An app that fetches keys over the network. */
export async function buildRealApp(t: TestContext, options: AppOptions = {}): Promise<TestApp> {
  let fetchJwks: ReturnType<typeof createFetchJwks> | undefined
  const app: TestApp = await buildApp(t, {
    ...options,
    fetchJwks: (...args) => {
      fetchJwks ??= createFetchJwks(createFetchDocument({ settings: app.settings }))
      return fetchJwks(...args)
    },
  })
  return app
}

export function readCredentials(folder: string, kind: DemoKindName): Credentials {
  return JSON.parse(readFileSync(join(folder, CREDENTIAL_FILES[kind]), 'utf8'))
}

export async function post(
  url: string,
  body: RequestInit['body'],
  headers: Record<string, string> = {},
): Promise<JsonResponse> {
  const response = await fetch(url, { method: 'POST', headers, body: body ?? null })
  return { status: response.status, headers: response.headers, json: await jsonOf(response) }
}

export async function get(url: string, headers: Record<string, string> = {}): Promise<JsonResponse> {
  const response = await fetch(url, { headers })
  return { status: response.status, headers: response.headers, json: await jsonOf(response) }
}

async function jsonOf(response: Response): Promise<unknown> {
  const text = await response.text()
  return text.startsWith('{') ? JSON.parse(text) : text
}

export const basic = ({ clientId, password }: Pick<Credentials, 'clientId' | 'password'>): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${clientId}:${password}`).toString('base64')}`,
})

const GRANT = { grant_type: 'client_credentials' }
const JSON_BODY = { 'content-type': 'application/json' }

/** The token request of each kind, as hosted-api.md has it. */
export const REQUESTS: Readonly<Record<DemoKindName, (file: Credentials) => Promise<JsonResponse>>> = {
  cognito: (file) => post(file.authenticationUrl, new URLSearchParams(GRANT), basic(file)),
  auth0: ({ clientId, password, authenticationUrl }) => {
    const body = { client_id: clientId, client_secret: password, audience: HOSTED_AUDIENCE_URL, ...GRANT }
    return post(authenticationUrl, JSON.stringify(body), JSON_BODY)
  },
  oidc: (file) => post(file.authenticationUrl, new URLSearchParams(GRANT), basic(file)),
}

export async function requestToken(kind: DemoKindName, file: Credentials): Promise<string> {
  const { status, json } = await REQUESTS[kind](file)
  assert.equal(status, 200, JSON.stringify(json))
  return json.access_token
}

/** Decodes a token without verifying it. */
export function decode(token: string): { header: Record<string, unknown>; claims: Record<string, unknown> } {
  const [header = '', claims = ''] = token.split('.')
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())
  return { header: read(header), claims: read(claims) }
}
