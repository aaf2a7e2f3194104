import assert from 'node:assert/strict'
import { makeTestCertificate, type ReadyController } from '@countersign/testkit'

const SIGNERS = '/edge/management/v1/ext-jwt-signers'
const TOKEN_LOGIN = '/edge/client/v1/authenticate?method=ext-jwt'
const DAY_MS = 86_400_000

/** What the pictures show, beside the demo records of `--dev`. */
export interface Seeded {
  /** A token of the local provider whose signature was replaced. */
  readonly forgedToken: string
  readonly identityId: string
}

/** Fills a controller as one looks that has been used for a while. */
export async function seedRecords(controller: ReadyController, session: string): Promise<Seeded> {
  const create = async (path: string, body: object) => {
    const reply = await controller.request('POST', path, { session, body })
    assert.equal(reply.status, 201, reply.text)
    return reply
  }
  for (const signer of signers()) await create(SIGNERS, signer)
  const { json: created } = await create('/edge/management/v1/identities', {
    name: 'Press 7',
    type: 'Default',
    isAdmin: false,
    roleAttributes: ['factory', 'presses'],
    externalId: 'press-7@factory.example',
  })
  for (const network of [
    { name: 'Factory Hamburg', region: 'eu-central', size: 'large', controllerUrl: 'https://hamburg.factory.example' },
    { name: 'Lab', region: 'eu-north', size: 'small' },
  ]) {
    await create('/core/v3/networks', network)
  }
  const providers: { id: string; kind: string }[] = (
    await controller.request('GET', '/identity/v1/identity-providers', { session })
  ).json
  const identityProviderId = providers.find(({ kind }) => kind === 'cognito')?.id
  for (const name of ['nightly build', 'inventory export']) {
    await create('/identity/v1/api-account-identities', { name, identityProviderId })
  }
  return { forgedToken: await logInAsPeople(controller), identityId: created.data.id }
}

/** Signers in every state of their keys. */
function signers(): readonly object[] {
  const certificate = (commonName: string, fromDays: number, toDays: number) =>
    makeTestCertificate({
      commonName,
      notBefore: new Date(Date.now() + fromDays * DAY_MS),
      notAfter: new Date(Date.now() + toDays * DAY_MS),
    }).pem
  const common = (name: string, host: string) => ({
    name,
    enabled: true,
    issuer: `https://${host}`,
    audience: 'overlay',
  })
  return [
    {
      ...common('Factory gateway', 'gateway.factory.example'),
      kid: 'gateway',
      certPem: certificate('gateway', -30, 700),
    },
    { ...common('Old build farm', 'builds.example'), kid: 'builds', certPem: certificate('builds', -800, -2) },
    { ...common('Warehouse scanners', 'scanners.example'), kid: 'scanners', certPem: certificate('scanners', -700, 9) },
    { ...common('Partner login', 'login.partner.example'), jwksEndpoint: 'https://login.partner.example/keys' },
    {
      ...common('Retired provider', 'retired.example'),
      jwksEndpoint: 'https://retired.example/keys',
      enabled: false,
    },
  ]
}

/** Logs people of the local provider in, some of them in vain. Returns a forged token. */
async function logInAsPeople(controller: ReadyController): Promise<string> {
  const tokenOf = async (person: string): Promise<string> => {
    const url = new URL('/dev/token', controller.ready.identityProviderUrl ?? assert.fail('no local provider'))
    const response = await fetch(url, { method: 'POST', body: new URLSearchParams({ person }) })
    return ((await response.json()) as { access_token: string }).access_token
  }
  const logIn = (token: string) =>
    controller.request('POST', TOKEN_LOGIN, { headers: { authorization: `Bearer ${token}` } })
  const [alice, bob, carol, dave] = await Promise.all(['alice', 'bob', 'carol', 'dave'].map(tokenOf))
  assert.ok(alice && bob && carol && dave)
  const forged = `${alice.slice(0, alice.lastIndexOf('.'))}.${'A'.repeat(342)}`
  for (const token of [alice, bob, alice, forged, carol, dave, forged, alice, bob, dave, forged, carol]) {
    await logIn(token)
  }
  return forged
}
