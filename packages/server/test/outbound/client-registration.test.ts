import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRegistrationAdministration } from '../../src/outbound/administration/rfc7591.ts'
import { createClientRegistration } from '../../src/outbound/client-registration.ts'
import type { FetchDocument, SentDocument } from '../../src/outbound/fetch-document.ts'

const OKTA = 'https://acme.okta.com/oauth2/v1/clients'
const NAME = { name: 'ci', marker: 'm' }

/** Registers a client at an endpoint whose responses name no client configuration endpoint, and removes it. Returns what was sent. */
async function registerAndRemove(registrationUrl: string, secret: string, removedBy = { registrationUrl, secret }) {
  const sent: { url: string; send: SentDocument | undefined }[] = []
  const fetchDocument = (async (url: string, { send }: { readonly send?: SentDocument }) => {
    sent.push({ url, send })
    return { body: Buffer.from(JSON.stringify({ client_id: 'c 1', client_secret: 's' })), headers: {} }
  }) as unknown as FetchDocument
  const inTurn = (_: string, ...args: Parameters<FetchDocument>) => fetchDocument(...args)
  const adapter = createRegistrationAdministration(createClientRegistration(fetchDocument, inTurn as never))
  const provider = (url: string, token: string) => ({
    ...{ id: 'p', organizationId: 'o', issuer: 'https://idp.example', tokenUrl: null, audience: null },
    ...{ requiredScope: null, administration: { kind: 'rfc7591', registrationUrl: url } as never, secret: token },
  })
  const client = await adapter.create(provider(registrationUrl, secret), NAME)
  await adapter.remove(provider(removedBy.registrationUrl, removedBy.secret), client)
  const authorization = sent.map(({ send }) => send?.headers?.authorization ?? `Bearer ${send?.bearer}`)
  return { urls: sent.map(({ url, send }) => `${send?.method} ${url}`), authorization }
}

test('Okta: an API token is sent by the scheme of Okta, and removes the client again', async () => {
  const { urls, authorization } = await registerAndRemove(OKTA, '00a-api-token')
  assert.deepEqual(urls, [`POST ${OKTA}`, `DELETE ${OKTA}/c%201`])
  assert.deepEqual(authorization, ['SSWS 00a-api-token', 'SSWS 00a-api-token'])
})

test('Okta: an access token is sent as Bearer; at any other provider every token is, and no client is removed with it', async () => {
  assert.deepEqual((await registerAndRemove(OKTA, 'e30.e30.c2ln')).authorization, [
    'Bearer e30.e30.c2ln',
    'Bearer e30.e30.c2ln',
  ])
  const other = await registerAndRemove('https://idp.example/register', '00a-api-token')
  assert.deepEqual(other, { urls: ['POST https://idp.example/register'], authorization: ['Bearer 00a-api-token'] })
})

test('D65 Okta: the token of another registration endpoint is not sent to the one that has the client', async () => {
  const elsewhere = { registrationUrl: 'https://other.okta.com/oauth2/v1/clients', secret: '00b' }
  assert.deepEqual((await registerAndRemove(OKTA, '00a', elsewhere)).urls, [`POST ${OKTA}`])
})
