import type { TestContext } from 'node:test'
import { pino } from 'pino'
import { AccountClients } from '../../src/hosted/account-clients.ts'
import { AccountJobs } from '../../src/hosted/account-jobs.ts'
import { ROUND_LIMITS } from '../../src/hosted/organization-rounds.ts'
import { createAdministrations } from '../../src/outbound/administration/administrations.ts'
import { createFetchDocument } from '../../src/outbound/fetch-document.ts'
import { createSealing } from '../../src/platform/keys/sealing.ts'
import { setUpHosted } from '../hosted/hosted.fixture.ts'
import { TEST_SEALING_KEY, type TestApp } from '../http/build-app.ts'
import { startAuth0 } from './auth0-stub.ts'
import { startCognito } from './cognito-stub.ts'
import { startEntra } from './entra-stub.ts'
import { startKeycloak } from './keycloak-stub.ts'

/** A provider of one kind, as its administrator sees it. */
export interface ProviderWorld {
  readonly kind: 'keycloak' | 'auth0' | 'entra' | 'cognito'
  /** Members of a record beside its name. */
  readonly record: Readonly<Record<string, unknown>>
  readonly administration: Readonly<Record<string, unknown>>
  /** The member of `administration` that holds the secret. */
  readonly secretMember: string
  /** The ids of the clients that exist there. */
  clientIds(): string[]
  /** How many secrets a client has; undefined where each has one. */
  secretsOf?(clientId: string): number
  isEnabled(clientId: string): boolean
  /** The last step of a creation fails until `heal`. */
  failInTheMiddle(): void
  heal(): void
  /** Takes a permission away. Returns its name. */
  takePermission(): string
  refuseSecret(): void
}

const URLS = { jwksUri: 'https://idp.example/keys', tokenUrl: 'https://idp.example/token' }

async function keycloak(t: TestContext): Promise<ProviderWorld> {
  const { base, clients, state } = await startKeycloak(t)
  const find = (clientId: string) => [...clients.values()].find((client) => client.clientId === clientId)
  const issuer = 'https://sso.example.com/realms/acme'
  return {
    kind: 'keycloak',
    record: { ...URLS, kind: 'oidc', issuer, jwksUri: `${issuer}/keys`, audience: 'network-api' },
    administration: { kind: 'keycloak', url: base, realm: 'acme', clientId: 'countersign-admin' },
    secretMember: 'clientSecret',
    clientIds: () => [...clients.values()].map(({ clientId }) => clientId),
    isEnabled: (clientId) => find(clientId)?.enabled === true,
    failInTheMiddle: () => {
      state.failsAt = 'GET /admin/realms/acme/clients/{id}/client-secret'
    },
    heal: () => {
      state.failsAt = ''
    },
    takePermission: () => {
      state.roles = ['view-clients']
      return 'manage-clients'
    },
    refuseSecret: () => {
      state.secret = 'another'
    },
  }
}

async function auth0(t: TestContext): Promise<ProviderWorld> {
  const { base, clients, grants, state } = await startAuth0(t)
  return {
    kind: 'auth0',
    record: { ...URLS, kind: 'auth0', issuer: `${base}/`, audience: 'https://gateway.example.net/' },
    administration: { kind: 'auth0', clientId: 'countersign-admin' },
    secretMember: 'clientSecret',
    clientIds: () => [...clients.keys()],
    isEnabled: (clientId) => [...grants.values()].some(({ client_id }) => client_id === clientId),
    failInTheMiddle: () => {
      state.failsAt = 'POST client-grants'
    },
    heal: () => {
      state.failsAt = ''
    },
    takePermission: () => {
      state.scopes = state.scopes.filter((scope) => scope !== 'create:client_grants')
      return 'create:client_grants'
    },
    refuseSecret: () => {
      state.secret = 'another'
    },
  }
}

async function entra(t: TestContext): Promise<ProviderWorld> {
  const { base, applications, principals, state, tokenUrl } = await startEntra(t)
  const issuer = 'https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/v2.0'
  const find = (clientId: string) => [...applications.values()].find(({ appId }) => appId === clientId)
  return {
    kind: 'entra',
    record: { ...URLS, kind: 'oidc', issuer, tokenUrl, audience: '99999999-8888-7777-6666-555555555555' },
    administration: { kind: 'entra', url: base, clientId: 'countersign-admin' },
    secretMember: 'clientSecret',
    clientIds: () => [...applications.values()].map(({ appId }) => appId),
    secretsOf: (clientId) => find(clientId)?.passwordCredentials.length ?? 0,
    isEnabled: (clientId) => principals.get(clientId) === true,
    failInTheMiddle: () => {
      state.failsAt = 'POST /v1.0/applications/{id}/addPassword'
    },
    heal: () => {
      state.failsAt = ''
    },
    takePermission: () => {
      state.roles = ['Application.Read.All']
      return 'Application.ReadWrite.OwnedBy'
    },
    refuseSecret: () => {
      state.secret = 'another'
    },
  }
}

async function cognito(t: TestContext): Promise<ProviderWorld> {
  const { base, clients, denied, state, scope } = await startCognito(t)
  return {
    kind: 'cognito',
    record: { ...URLS, kind: 'cognito', issuer: 'https://cognito-idp.us-east-1.amazonaws.com/us-east-1_EXAMPLE' },
    administration: { kind: 'cognito', url: base, accessKeyId: 'AKIAEXAMPLE', scope },
    secretMember: 'secretAccessKey',
    clientIds: () => [...clients.keys()],
    secretsOf: (clientId) => clients.get(clientId)?.secrets.length ?? 0,
    isEnabled: (clientId) => clients.get(clientId)?.AllowedOAuthFlows.length === 1,
    failInTheMiddle: () => {
      state.failsAt = 'CreateUserPoolClient'
    },
    heal: () => {
      state.failsAt = ''
    },
    takePermission: () => {
      denied.add('AddUserPoolClientSecret')
      return 'cognito-idp:AddUserPoolClientSecret'
    },
    refuseSecret: () => {
      state.secret = 'another'
    },
  }
}

export const PROVIDER_WORLDS = { keycloak, auth0, entra, cognito } as const

/** The jobs of an app, as its upkeep runs them. */
export function makeJobs(
  { store, clock, settings }: Pick<TestApp, 'store' | 'clock' | 'settings'>,
  roundLimits = ROUND_LIMITS,
) {
  const log = pino({ enabled: false })
  const administrations = createAdministrations({ fetchDocument: createFetchDocument({ settings }), clock })
  const accountClients = new AccountClients({
    administrations,
    sealing: createSealing(TEST_SEALING_KEY),
    store,
    clock,
    log,
    roundLimits,
  })
  return { accountClients, accountJobs: new AccountJobs({ store, clock, log, accountClients, roundLimits }) }
}

/** Operations of this name begin only after `release`. `reached` resolves when the first one waits. */
export function holdOperation({ stores }: Pick<TestApp, 'stores'>, name: string) {
  const [released, reached] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  for (const store of stores) {
    const run = store.run.bind(store)
    Object.assign(store, {
      run: async (operation: { name: string }, ...rest: unknown[]) => {
        if (operation.name === name) {
          reached.resolve()
          await released.promise
        }
        return (run as (...args: unknown[]) => Promise<unknown>)(operation, ...rest)
      },
    })
  }
  return { reached: reached.promise, release: () => released.resolve() }
}

const PROVIDERS = '/identity/v1/identity-providers'
const ACCOUNTS = '/identity/v1/api-account-identities'
const JOBS = '/identity/v1/account-jobs'
export const SECRET = 'the-secret'

/** An app with a provider record of one kind, whose administration works. */
export async function setUpAdministration(t: TestContext, kind: keyof typeof PROVIDER_WORLDS) {
  const hosted = await setUpHosted(t)
  const { app, bodyOf } = hosted
  const world = await PROVIDER_WORLDS[kind](t)
  const administration = { ...world.administration, [world.secretMember]: SECRET }
  const provider = bodyOf(await app.admin('POST', PROVIDERS, { name: kind, ...world.record, administration }))
  const paths = { provider: `${PROVIDERS}/${provider.id}`, accounts: ACCOUNTS, jobs: JOBS }
  return {
    ...hosted,
    world,
    provider,
    paths,
    jobs: makeJobs(app),
    create: (members: object = {}) =>
      app.admin('POST', ACCOUNTS, { name: "CI's <nightly>", identityProviderId: provider.id, ...members }),
    listJobs: async () => bodyOf(await app.admin('GET', JOBS), 200),
  }
}
