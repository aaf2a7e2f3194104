import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setUpHosted } from './hosted.fixture.ts'

/** A misspelt member of each resource: it would restrict who gets access. */
const RESOURCES = [
  { path: '/core/v3/networks', body: { name: 'a network' }, misspelt: { controllerURI: 'https://a.example' } },
  { path: '/identity/v1/organizations', body: { name: 'A Corp', label: 'A-CORP' }, misspelt: { activ: false } },
  {
    path: '/identity/v1/identity-providers',
    body: {
      name: 'a provider',
      kind: 'oidc',
      issuer: 'https://sso.example.com/realms/a',
      audience: 'network-api',
      jwksUri: 'https://keys.example/jwks',
      tokenUrl: 'https://idp.example/token',
    },
    misspelt: { requiredScopes: 'networks' },
  },
  {
    path: '/identity/v1/api-account-identities',
    body: { name: 'an account', clientId: 'client', contactEmail: 'ops@example.com' },
    misspelt: { rol: 'read-only' },
  },
] as const

for (const { path, body, misspelt } of RESOURCES) {
  test(`D53 ${path} refuses unknown members and accepts what it returned`, async (t) => {
    const { app, createProvider } = await setUpHosted(t)
    const own = path.endsWith('api-account-identities') ? { identityProviderId: await createProvider('okta') } : {}
    const [name = ''] = Object.keys(misspelt)
    const refused = async (method: string, at: string, sent: object) => {
      const reply = await app.admin(method, at, sent)
      assert.equal(reply.status, 400, `${method} ${at}: ${reply.text}`)
      assert.ok(reply.text.includes(name), reply.text)
      assert.ok(!Object.values(misspelt).some((value) => reply.text.includes(`"${value}"`)), 'it may be a secret')
    }
    await refused('POST', path, { ...body, ...own, ...misspelt })
    const made = await app.admin('POST', path, { ...body, ...own })
    assert.equal(made.status, 201, made.text)

    const one = path.endsWith('organizations') ? await ownOrganization() : `${path}/${made.json.id}`
    const before = (await app.admin('GET', one)).json
    for (const method of ['PUT', 'PATCH']) {
      await refused(method, one, { ...before, ...misspelt })
      const reply = await app.admin(method, one, before)
      assert.equal(reply.status, 200, `${method}: ${reply.text}`)
      const { updatedAt: _, ...after } = (await app.admin('GET', one)).json
      const { updatedAt: __, ...expected } = before
      assert.deepEqual(after, expected)
    }

    async function ownOrganization(): Promise<string> {
      const { json } = await app.admin('GET', path)
      return `${path}/${json[0].id}`
    }
  })
}
