/** What tests of the second token share: its signer, a policy that asks for it, and tokens of it. */
import assert from 'node:assert/strict'
import { makeTestCertificate, mintKeyFrom, mintToken } from '@countersign/testkit'
import type { TestApp } from './build-app.ts'

const ISSUER = 'https://second.example'
const AUDIENCE = 'second'
const DESCRIPTIONS = {
  missing: 'no matching token was provided',
  expired: 'token expired',
  invalid: 'token is invalid',
}

export interface SecondSigner {
  readonly id: string
  /** A token for whoever has this externalId, good for ten minutes unless it says otherwise. */
  token(externalId: string, secondsLeft?: number): string
  /** The challenge of a call without a good token. */
  challenge(error: keyof typeof DESCRIPTIONS): string
}

export async function makeSecondSigner(app: TestApp): Promise<SecondSigner> {
  const certificate = makeTestCertificate({ kind: 'ec256', commonName: 'second' })
  const key = mintKeyFrom(certificate.privateKey, 'P-256', 'second')
  const reply = await app.admin('POST', '/edge/management/v1/ext-jwt-signers', {
    name: 'second',
    enabled: true,
    issuer: ISSUER,
    audience: AUDIENCE,
    kid: 'second',
    certPem: certificate.pem,
    useExternalId: true,
  })
  assert.equal(reply.status, 201, reply.text)
  const { id } = reply.json.data
  return {
    id,
    token: (sub, secondsLeft = 600) => {
      const exp = Math.floor(app.clock.now() / 1000) + secondsLeft
      return mintToken({ key, claims: { iss: ISSUER, aud: AUDIENCE, sub, exp } })
    },
    challenge: (error) =>
      `Bearer realm="openziti-secondary-ext-jwt" error="${error}" error_description="${DESCRIPTIONS[error]}" id="${id}" issuer="${ISSUER}"`,
  }
}

/** The default policy, with a token of this signer asked for on every call. */
export async function makeStrictPolicy(app: TestApp, requireExtJwtSigner: string): Promise<string> {
  const policies = '/edge/management/v1/auth-policies'
  const policy = (await app.admin('GET', `${policies}/default`)).json.data
  const secondary = { requireTotp: false, requireExtJwtSigner }
  const reply = await app.admin('POST', policies, { ...policy, name: 'strict', secondary })
  assert.equal(reply.status, 201, reply.text)
  return reply.json.data.id
}

/** A path that could be called, about something that is not there. */
export function examplePath(path: string): string {
  const example = path
    .split('/')
    .map((segment) => (segment.startsWith(':') ? 'no-such-id' : segment))
    .join('/')
  // A stream of events that there are would not end.
  return path.endsWith('/events') ? `${example}?namespace=no-such-namespace` : example
}
