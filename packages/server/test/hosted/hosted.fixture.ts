/** Shared by the tests of the hosted API: a controller, providers of each kind with known keys, accounts and tokens. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { readKeySet } from '@countersign/core'
import { mintKey, mintKeySet, mintToken } from '@countersign/testkit'
import { type AppOptions, buildApp, type Reply } from '../http/build-app.ts'

type Members = Readonly<Record<string, unknown>>

export const GATEWAY = 'https://gateway.example.net/'

/** The address of keys that sign no token of the fixture. */
export const OTHER_KEYS = 'https://elsewhere.example/jwks'

/** A record of each kind, with the claims of its machine tokens except the times. */
export const KINDS = {
  cognito: {
    record: { kind: 'cognito', issuer: 'https://cognito-idp.us-east-1.amazonaws.com/us-east-1_EXAMPLE' },
    claims: (clientId: string) => ({ sub: clientId, client_id: clientId, token_use: 'access', version: 2 }),
  },
  auth0: {
    record: { kind: 'auth0', issuer: 'https://acme.us.auth0.com/', audience: GATEWAY },
    claims: (clientId: string) => ({
      sub: `${clientId}@clients`,
      azp: clientId,
      aud: GATEWAY,
      gty: 'client-credentials',
    }),
  },
  keycloak: {
    record: { kind: 'oidc', issuer: 'https://sso.example.com/realms/acme', audience: 'network-api' },
    claims: (clientId: string) => ({
      sub: 'b6cc7aa0-0000-4000-8000-e05c881fb6d4',
      azp: clientId,
      client_id: clientId,
      aud: ['network-api', 'account'],
      typ: 'Bearer',
      preferred_username: `service-account-${clientId}`,
    }),
  },
  okta: {
    record: { kind: 'oidc', issuer: 'https://acme.okta.com/oauth2/aus1', audience: 'https://gateway.example.net' },
    claims: (clientId: string) => ({
      sub: clientId,
      cid: clientId,
      aud: 'https://gateway.example.net',
      scp: ['networks'],
    }),
  },
  entra: {
    record: {
      kind: 'oidc',
      issuer: 'https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/v2.0',
      audience: '99999999-8888-7777-6666-555555555555',
    },
    claims: (clientId: string) => ({
      azp: clientId,
      aud: '99999999-8888-7777-6666-555555555555',
      sub: 'x',
      ver: '2.0',
    }),
  },
} as const

/** The address of the keys of a record, below its issuer. */
export function keysOf({ issuer }: { readonly issuer: string }): string {
  return `${issuer.replace(/\/$/, '')}/.well-known/jwks.json`
}

export type KindName = keyof typeof KINDS

/** `onFetch` is called with the URL of each key set that is fetched. */
export async function setUpHosted(
  t: TestContext,
  options: Omit<AppOptions, 'fetchJwks'> = {},
  onFetch?: (url: string) => void,
) {
  const key = mintKey('P-256')
  const others = mintKey('P-256', key.kid)
  const fetchJwks = async ({ url }: { url: string }) => {
    onFetch?.(url)
    return {
      keySet: readKeySet(Buffer.from(JSON.stringify(mintKeySet(url === OTHER_KEYS ? others : key)))),
      freshForMs: undefined,
    }
  }
  const app = await buildApp(t, { ...options, fetchJwks })
  const bodyOf = (reply: Reply, status = 201) => {
    assert.equal(reply.status, status, reply.text)
    return reply.json
  }

  const createOrganization = async (label: string): Promise<string> =>
    bodyOf(await app.admin('POST', '/identity/v1/organizations', { name: `${label} Corp`, label })).id

  const createProvider = async (kind: KindName, members: Members = {}): Promise<string> => {
    const { record } = KINDS[kind]
    const body = {
      name: kind,
      ...record,
      jwksUri: keysOf(record),
      tokenUrl: 'https://idp.example/token',
      ...members,
    }
    return bodyOf(await app.admin('POST', '/identity/v1/identity-providers', body)).id
  }

  const createAccount = async (
    identityProviderId: string,
    clientId: string,
    members: Members = {},
  ): Promise<string> => {
    const body = {
      name: `account of ${clientId}`,
      identityProviderId,
      clientId,
      contactEmail: 'ops@example.com',
      role: 'admin',
      ...members,
    }
    return bodyOf(await app.admin('POST', '/identity/v1/api-account-identities', body)).id
  }

  const token = (kind: KindName, clientId: string, claims: Members = {}, with_ = key): string => {
    const now = Math.floor(app.clock.now() / 1000)
    const { record, claims: usual } = KINDS[kind]
    return mintToken({
      key: with_,
      alg: 'ES256',
      claims: { iss: record.issuer, iat: now, exp: now + 3600, ...usual(clientId), ...claims },
    })
  }

  /** Sends a request with an access token, or without one. */
  const call = (method: string, path: string, bearer?: string, body?: unknown): Promise<Reply> =>
    app.call(method, path, body, bearer === undefined ? {} : { headers: { authorization: `Bearer ${bearer}` } })

  return { app, key, otherKey: others, createOrganization, createProvider, createAccount, token, call, bodyOf }
}
