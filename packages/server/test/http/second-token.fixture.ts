/** Shared by the tests of the second token: its signer, a policy that requires it, and its tokens. */
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
  /** A token for the identity with this externalId, valid for ten minutes by default. */
  token(externalId: string, secondsLeft?: number): string
  /** The challenge for a call without a valid token. */
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

/** Creates a copy of the default policy that requires a token of this signer on every call. */
export async function makeStrictPolicy(app: TestApp, requireExtJwtSigner: string): Promise<string> {
  const policies = '/edge/management/v1/auth-policies'
  const policy = (await app.admin('GET', `${policies}/default`)).json.data
  const secondary = { requireTotp: false, requireExtJwtSigner }
  const reply = await app.admin('POST', policies, { ...policy, name: 'strict', secondary })
  assert.equal(reply.status, 201, reply.text)
  return reply.json.data.id
}

/** A callable path with the id of an unknown entity. */
export function examplePath(path: string): string {
  const example = path
    .split('/')
    .map((segment) => (segment.startsWith(':') ? 'no-such-id' : segment))
    .join('/')
  // A stream of existing events would not end.
  return path.endsWith('/events') ? `${example}?namespace=no-such-namespace` : example
}
