/** Shared by the tests of enrollment with a provider's token. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeTestCsr } from '@countersign/testkit'
import { stateOf } from '../attack/target.ts'
import type { AppOptions, Reply, TestApp } from './build-app.ts'
import { SIGNERS, setUpProvider, storeDecisions } from './provider.fixture.ts'

export const ENROLL_TOKEN = '/edge/client/v1/enroll/token'
/** The general endpoint for the same call. */
export const ENROLL_BY_METHOD = '/edge/client/v1/enroll?method=token'
export const IDENTITIES = '/edge/management/v1/identities'
export const POLICIES = '/edge/management/v1/auth-policies'

export interface EnrollCall {
  readonly tokens?: readonly string[]
  /** Values of the header that selects a signer. */
  readonly signerIds?: readonly string[]
  readonly body?: unknown
  readonly path?: string
}

/** Sends each token in its own header line. */
export function enroll(app: TestApp, { tokens = [], signerIds = [], body = {}, path }: EnrollCall): Promise<Reply> {
  const lines = {
    ...(tokens.length > 0 && { authorization: tokens.map((token) => `Bearer ${token}`) }),
    ...(signerIds.length > 0 && { 'ziti-token-issuer-id': signerIds }),
  }
  return app.call('POST', path ?? ENROLL_TOKEN, body, { headers: lines as unknown as Record<string, string> })
}

/** Summarizes a refusal: status, code and, if any, field. */
export function refusal({ status, json }: Reply): string {
  const { code, cause } = json.error ?? {}
  return `${status} ${code}${cause?.field ? ` ${cause.field}` : ''}`
}

/** The two kinds of enrollment, by their bodies. */
export const KINDS = {
  token: () => ({}),
  cert: () => ({ clientCsr: makeTestCsr().pem }),
} as const

/** A controller with a signer that allows both kinds of enrollment. */
export async function setUpEnrollment(t: TestContext, options: Omit<AppOptions, 'fetchJwks'> = {}) {
  const provider = await setUpProvider(t, options)
  const { app, createSigner } = provider
  const enrollingSigner = async (members: Readonly<Record<string, unknown>> = {}) => {
    const id = await createSigner({ enrollToTokenEnabled: true, enrollToCertEnabled: true, ...members })
    await app.admin('POST', `${SIGNERS}/${id}/refresh-keys`)
    // Keys are stored some time after the fetch, which must not fall between two reads of the state.
    const isStored = () =>
      app.store.db.selectFrom('signer_key_sets').where('signer_id', '=', id).select('url').execute()
    while ((await isStored()).length === 0) await sleep(5)
    return id
  }
  return {
    ...provider,
    enrollingSigner,
    enroll: (token: string, body: unknown = {}, signerIds: readonly string[] = []) =>
      enroll(app, { tokens: [token], body, signerIds }),
    /** The whole state without decisions, which every refusal adds to, and keys, which an unknown kid may refresh. */
    state: async () => {
      await storeDecisions(app)
      const { auth_decisions: _, signer_key_sets: __, key_fetches: ___, ...state } = await stateOf(app.store)
      return state
    },
    identity: async (id: string) => {
      const reply = await app.admin('GET', `${IDENTITIES}/${id}`)
      assert.equal(reply.status, 200, reply.text)
      return reply.json.data
    },
    countIdentities: async (): Promise<number> =>
      (await app.admin('GET', `${IDENTITIES}?limit=1`)).json.meta.pagination.totalCount,
  }
}
