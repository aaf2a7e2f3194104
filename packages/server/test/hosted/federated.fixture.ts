/** Shared by the tests of federated accounts: a local issuer of tokens in the shape of GitHub Actions, GitLab and Kubernetes. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { mintToken } from '@countersign/testkit'
import type { AppOptions, Reply } from '../http/build-app.ts'
import { setUpHosted } from './hosted.fixture.ts'

type Members = Readonly<Record<string, unknown>>

export const ACCOUNTS = '/identity/v1/api-account-identities'
export const PROVIDERS = '/identity/v1/identity-providers'
export const SELF = '/identity/v1/identities/self'
export const TOKEN = '/auth/v1/token'
export const GITHUB = 'https://token.actions.githubusercontent.com'
export const GITHUB_KEYS = `${GITHUB}/.well-known/jwks`

/** What the preset for a repository and an environment writes. */
export const CONDITIONS = { repository: 'acme/app', ref: 'refs/heads/main' }

/** The claims of a job in `acme/app` on `main`, as GitHub writes them. */
export const JOB = {
  sub: 'repo:acme/app:ref:refs/heads/main',
  repository: 'acme/app',
  repository_id: '74',
  repository_owner: 'acme',
  repository_owner_id: '65',
  repository_visibility: 'private',
  ref: 'refs/heads/main',
  ref_type: 'branch',
  workflow: 'deploy',
  workflow_ref: 'acme/app/.github/workflows/deploy.yml@refs/heads/main',
  job_workflow_ref: 'acme/app/.github/workflows/deploy.yml@refs/heads/main',
  event_name: 'push',
  actor: 'octocat',
  runner_environment: 'github-hosted',
}

export async function setUpFederated(t: TestContext, options: Omit<AppOptions, 'fetchJwks'> = {}) {
  const hosted = await setUpHosted(t, options)
  const { app, key, bodyOf } = hosted

  const audienceOf = async (): Promise<string> =>
    bodyOf(await app.admin('GET', '/identity/v1/organization'), 200).audience
  const audience = await audienceOf()

  const createRecord = async (members: Members = {}): Promise<string> => {
    const body = {
      name: 'GitHub Actions',
      kind: 'oidc',
      issuer: GITHUB,
      jwksUri: GITHUB_KEYS,
      tokenUrl: GITHUB,
      ...members,
    }
    return bodyOf(await app.admin('POST', PROVIDERS, body)).id
  }

  const postAccount = (identityProviderId: string, members: Members = {}, query = ''): Promise<Reply> => {
    const body = {
      name: 'ci',
      identityProviderId,
      kind: 'federated',
      conditions: CONDITIONS,
      role: 'admin',
      ...members,
    }
    return app.admin('POST', ACCOUNTS + query, body)
  }

  const createFederated = async (identityProviderId: string, members: Members = {}): Promise<string> =>
    bodyOf(await postAccount(identityProviderId, members)).id

  /** A token of a job, for the organization that owns the controller. */
  const jobToken = (claims: Members = {}, with_ = key): string => {
    const now = Math.floor(app.clock.now() / 1000)
    return mintToken({
      key: with_,
      alg: 'ES256',
      claims: { iss: GITHUB, aud: audience, iat: now, nbf: now, exp: now + 300, ...JOB, ...claims },
    })
  }

  /** Trades a token at the token endpoint. */
  const trade = (subjectToken: string, members: Readonly<Record<string, string>> = {}): Promise<Reply> => {
    const form = new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: subjectToken,
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      ...members,
    })
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    return app.call('POST', TOKEN, undefined, { headers, raw: form.toString() })
  }

  const tradeFor = async (subjectToken: string): Promise<string> => {
    const reply = await trade(subjectToken)
    assert.equal(reply.status, 200, reply.text)
    return reply.json.access_token
  }

  return { ...hosted, audience, createRecord, postAccount, createFederated, jobToken, trade, tradeFor }
}
