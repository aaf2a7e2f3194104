import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AdministrationKind, Provider } from '../../api/wire.ts'
import { administrationBody, administrationValues } from './administration-values.ts'

type View = NonNullable<Provider['administration']>

/** Every member that the API accepts for the kind. */
const FULL: { readonly [Kind in AdministrationKind]: Omit<View, 'kind'> } = {
  manual: {},
  rfc7591: { registrationUrl: 'https://idp.example/register' },
  keycloak: { url: 'https://sso.example', realm: 'acme', clientId: 'administrator' },
  cognito: { url: 'https://vpce.example', accessKeyId: 'AKIA1', scope: 'api/read' },
  auth0: { clientId: 'administrator', scope: 'read', managementAudience: 'https://acme.auth0.example/api/v2/' },
  entra: { url: 'https://graph.example', clientId: 'administrator' },
}

const providerWith = (administration: View) => ({ administration }) as Provider

for (const [kind, members] of Object.entries(FULL) as [AdministrationKind, Omit<View, 'kind'>][]) {
  test(`the form keeps every member of an administration of the kind ${kind}`, () => {
    const provider = providerWith({ kind, ...members, clientSecretSet: true })
    assert.deepEqual(administrationBody(administrationValues(provider)), { administration: { kind, ...members } })
  })
}

test('a secret is sent when it is given or deleted, under the name of the kind', () => {
  const values = administrationValues(providerWith({ kind: 'cognito', accessKeyId: 'AKIA1' }))
  const send = (more: object) => administrationBody({ ...values, ...more }).administration
  assert.equal(send({ secret: 's' })?.secretAccessKey, 's')
  assert.equal(send({ removesSecret: true })?.secretAccessKey, '')
  assert.deepEqual(administrationBody({ ...values, administrationKind: 'discovered' }), {})
})
