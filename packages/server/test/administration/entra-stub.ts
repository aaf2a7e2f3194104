import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { TestContext } from 'node:test'
import { startStub } from './stub-server.ts'

interface Application {
  readonly id: string
  readonly appId: string
  readonly displayName: string
  readonly passwordCredentials: { readonly keyId: string; readonly secretText: string }[]
}

const WRITE = ['Application.ReadWrite.OwnedBy', 'Application.ReadWrite.All']

/** The token endpoint of Entra and Microsoft Graph v1.0, as far as they are used, with the permissions of the caller. */
export async function startEntra(t: TestContext) {
  const applications = new Map<string, Application>()
  const principals = new Map<string, boolean>()
  const state = { roles: ['Application.ReadWrite.OwnedBy'], secret: 'the-secret', failsAt: '', delays: 0 }
  const stub = await startStub(t, ({ method, path, query, headers, body }) => {
    if (path === '/tenant/oauth2/v2.0/token') {
      const form = Object.fromEntries(new URLSearchParams(body))
      assert.deepEqual([form.grant_type, form.scope], ['client_credentials', `${stub.base}/.default`])
      if (form.client_secret !== state.secret) return { status: 401, json: { error: 'invalid_client' } }
      const claims = Buffer.from(JSON.stringify({ roles: state.roles })).toString('base64url')
      return { status: 200, json: { access_token: `e30.${claims}.x`, token_type: 'Bearer' } }
    }
    const [, claims = ''] = (headers.authorization ?? '').split('.')
    const { roles } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { roles: string[] }
    const denied = { status: 403, json: { error: { code: 'Authorization_RequestDenied', message: 'no' } } }
    const canWrite = roles.some((role) => WRITE.includes(role))
    if (method === 'GET' ? !canWrite && !roles.includes('Application.Read.All') : !canWrite) return denied
    const route = `${method} ${path.replace(/[0-9a-f-]{36}/, '{id}')}`
    if (state.failsAt === route) return { status: 500 }
    const id = path.split('/')[3] ?? ''
    const application = applications.get(id)
    const unknown = { status: 404, json: { error: { code: 'Request_ResourceNotFound' } } }
    switch (route) {
      case 'GET /v1.0/applications': {
        const filter = query.get('$filter')
        const name = filter === null ? undefined : /^displayName eq '(.*)'$/.exec(filter)?.[1]?.replaceAll("''", "'")
        assert.ok(filter === null || name !== undefined, String(filter))
        const found = [...applications.values()].filter(({ displayName }) => name === undefined || displayName === name)
        return { status: 200, json: { value: found.map((one) => ({ id: one.id, appId: one.appId })) } }
      }
      case 'POST /v1.0/applications': {
        const { displayName, signInAudience } = JSON.parse(body)
        assert.equal(signInAudience, 'AzureADMyOrg')
        const created = { id: randomUUID(), appId: randomUUID(), displayName, passwordCredentials: [] }
        applications.set(created.id, created)
        return { status: 201, json: created }
      }
      case 'POST /v1.0/servicePrincipals': {
        const { appId } = JSON.parse(body)
        const isKnown = [...applications.values()].some((one) => one.appId === appId) && state.delays-- <= 0
        if (!isKnown) return { status: 400, json: { error: { code: 'Request_BadRequest' } } }
        principals.set(appId, true)
        return { status: 201, json: { id: randomUUID(), appId } }
      }
      case "PATCH /v1.0/servicePrincipals(appId='{id}')": {
        const appId = /'([^']+)'/.exec(path)?.[1] ?? ''
        assert.ok(principals.has(appId))
        principals.set(appId, JSON.parse(body).accountEnabled)
        return { status: 204 }
      }
      case 'GET /v1.0/applications/{id}':
        assert.equal(query.get('$select'), 'passwordCredentials')
        return application
          ? {
              status: 200,
              json: { passwordCredentials: application.passwordCredentials.map(({ keyId }) => ({ keyId })) },
            }
          : unknown
      case 'POST /v1.0/applications/{id}/addPassword': {
        if (!application) return unknown
        assert.equal(typeof JSON.parse(body).passwordCredential.displayName, 'string')
        const added = { keyId: randomUUID(), secretText: `secret-${randomUUID()}` }
        application.passwordCredentials.push(added)
        return { status: 200, json: added }
      }
      case 'POST /v1.0/applications/{id}/removePassword': {
        const index = application?.passwordCredentials.findIndex(({ keyId }) => keyId === JSON.parse(body).keyId) ?? -1
        if (index < 0) return { status: 400, json: { error: { code: 'Request_BadRequest' } } }
        application?.passwordCredentials.splice(index, 1)
        return { status: 204 }
      }
      case 'DELETE /v1.0/applications/{id}':
        if (application) principals.delete(application.appId)
        return applications.delete(id) ? { status: 204 } : unknown
      default:
        return assert.fail(route)
    }
  })
  return { ...stub, applications, principals, state, tokenUrl: `${stub.base}/tenant/oauth2/v2.0/token` }
}
