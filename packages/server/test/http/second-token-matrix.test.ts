import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Access, Route } from '../../src/http/pipeline/route.ts'
import { isHostedRoute } from '../hosted/is-hosted-route.ts'
import { buildApp } from './build-app.ts'
import { summarize } from './ext-jwt-signers.fixture.ts'
import { createIdentity, createPassword } from './identities.fixture.ts'
import { examplePath, makeSecondSigner, makeStrictPolicy } from './second-token.fixture.ts'

/** Begins to add a passkey, for sessions that lack nothing but a passkey. */
const ADDS_PASSKEY = '/current-identity/passkey-options'

/** Tells whether a route works without the second token. */
const isOpen = (access: Access, path: string): boolean =>
  access === 'anonymous' || (access === 'partial-session' && !path.endsWith(ADDS_PASSKEY))

const isHosted = (access: Access): boolean => typeof access === 'object' && 'hosted' in access

test('D22 E-01 E-03 W-56 every route requires the second token, and accepts only a valid one of the session’s own identity', async (t) => {
  const app = await buildApp(t)
  const second = await makeSecondSigner(app)
  const authPolicyId = await makeStrictPolicy(app, second.id)
  const id = await createIdentity(app, { isAdmin: true, authPolicyId, externalId: 'alice' })
  const { username, password } = await createPassword(app, id)
  await createIdentity(app, { isAdmin: true, authPolicyId, externalId: 'bob' })

  const cases = [
    { name: 'no second token', bearer: undefined, error: 'missing' },
    { name: 'one that has expired', bearer: second.token('alice', -1), error: 'expired' },
    { name: 'a good one of another identity', bearer: second.token('bob'), error: 'invalid' },
    { name: 'a good one', bearer: second.token('alice'), error: undefined },
  ] as const

  for (const { name, bearer, error } of cases) {
    await t.test(name, async () => {
      let session = await app.logIn(username, password)
      for (const { method, paths, access } of app.controller.http.routes.filter(isOfSessions)) {
        for (const path of paths) {
          const body = method === 'GET' || method === 'DELETE' ? undefined : {}
          const headers = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }
          const reply = await app.call(method, examplePath(path), body, { session, headers })
          const what = `${method} ${path}: ${reply.status} ${reply.text.slice(0, 200)}`
          if (isHosted(access)) {
            // There a token takes the place of the session, and this token is not of a provider of the organization.
            assert.equal(reply.status, 401, what)
          } else if (error === undefined || isOpen(access, path)) {
            assert.ok(reply.status < 500 || reply.status === 501, what)
            assert.notEqual(reply.headers['www-authenticate'], second.challenge(error ?? 'missing'), what)
            if (access !== 'anonymous') assert.notEqual(reply.status, 401, what)
          } else {
            assert.equal(summarize(reply), '401 UNAUTHORIZED', what)
            assert.equal(reply.headers['www-authenticate'], second.challenge(error), what)
          }
          if (method === 'DELETE' && path.endsWith('/current-api-session')) {
            session = await app.logIn(username, password)
          }
        }
      }
    })
  }
})

/** The hosted API and SCIM have their own callers. */
const isOfSessions = (route: Route): boolean => !isHostedRoute(route) && route.access !== 'scim'
