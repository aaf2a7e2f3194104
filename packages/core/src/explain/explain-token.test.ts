import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { mintKey } from '@countersign/testkit'
import fc from 'fast-check'
import { keysUntil } from '../key/accepted-keys.ts'
import type { RefusalReason } from '../token/verdict.ts'
import { explain, hintsOf, KEY, keysOf, NOW, signerOf, tokenOf } from './explain.fixture.ts'

const CLAIMS = { iss: 'https://idp.example/a', aud: 'api://countersign' }

const token = (claims: Record<string, unknown>, header: Record<string, unknown> = {}): string =>
  tokenOf({ ...CLAIMS, ...claims }, { header })

const MANY_AUDIENCES = Array.from({ length: 11 }, (_, index) => `api://${index}`)

/** A token for every refusal reason of logins, and the signer that refuses it when it is not the default one. */
type LoginReason = Exclude<
  RefusalReason,
  'event-unusable' | 'token-not-bound' | 'certificate-not-bound' | 'token-used' | `proof-${string}`
>
const REFUSED: Readonly<Record<LoginReason, readonly [token: string, signer?: Parameters<typeof signerOf>[0]]>> = {
  'token-too-large': [token({ groups: 'g'.repeat(13_000) })],
  'token-malformed': ['opaque'],
  'token-encrypted': [token({}, { enc: 'A256GCM' })],
  'token-nested': [token({}, { cty: 'JWT' })],
  'header-not-understood': [token({}, { crit: ['exp'] })],
  'type-not-accepted': [token({}, { typ: 'dpop+jwt' })],
  'issuer-unknown': [token({ iss: 'https://elsewhere.example' })],
  'issuer-mismatch': [token({ iss: 'https://idp.example/b' })],
  'audience-mismatch': [token({ aud: 'x' })],
  'too-many-signers': [token({ aud: MANY_AUDIENCES })],
  'kid-missing': [token({}, { kid: undefined })],
  'kid-unknown': [token({}, { kid: 'x' })],
  'algorithm-not-allowed': [token({}, { alg: 'ES256' })],
  'certificate-not-valid-now': [token({})],
  'keys-stale': [token({})],
  'signature-invalid': [tokenOf(CLAIMS, { sign: () => Buffer.alloc(256) })],
  'expiry-unusable': [token({ exp: 'never' })],
  'token-expired': [token({ exp: NOW - 1 })],
  'not-before-unusable': [token({ nbf: -1 })],
  'token-not-yet-valid': [token({ nbf: NOW + 1 })],
  'issued-at-unusable': [token({ iat: null })],
  'token-issued-in-future': [token({ iat: NOW + 61 })],
  'lifetime-too-long': [token({}), { maxTokenAgeSeconds: 1 }],
  'required-claim-unmet': [token({}), { requiredClaims: { x: 'y' } }],
  'possession-not-proven': [token({ cnf: {} })],
  'possession-missing': [token({}), { requirePossession: 'any' }],
  'certificate-not-sent': [token({ cnf: { 'x5t#S256': 'a'.repeat(43) } })],
  'identity-claim-unusable': [token({}), { claimsProperty: 'email' }],
  'rule-refused': [token({}), { acceptRule: 'claims.sub == "mallory"' }],
  'rule-error': [token({}), { acceptRule: 'claims.missing == 1' }],
}

describe('explainToken', () => {
  for (const [reason, [refused, fields]] of Object.entries(REFUSED)) {
    it(`has a hint for ${reason}`, async () => {
      const expired = new Map([...keysOf(KEY)].map(([kid, key]) => [kid, { ...key, notAfter: new Date(0) }]))
      const stale = keysUntil(keysOf(KEY), 0)
      const keys = { 'certificate-not-valid-now': expired, 'keys-stale': stale }[reason] ?? keysOf(KEY)
      const many = MANY_AUDIENCES.map((audience) => signerOf({ id: audience, audience }))
      const signersOf = reason === 'too-many-signers' ? many : [signerOf(fields)]
      const { signers, hints } = await explain(refused, { signers: signersOf, keys })
      assert.equal(hints.length, 1, hints.join('\n'))
      // No signer checks a malformed token, or one with an unknown issuer.
      if (signers.length > 0) assert.deepEqual([signers[0]?.reason], [reason])
      assert.deepEqual((await explain(token({}))).hints, [])
    })
  }

  it('D18 returns every signer with all its checks and one reason', async () => {
    const signers = [signerOf({ id: 'b', audience: 'x' }), signerOf({ id: 'a', audience: 'y' })]
    const { signers: explained, hints } = await explain(tokenOf({ ...CLAIMS, exp: NOW - 1 }), { signers })
    assert.deepEqual(
      explained.map(({ signerId, reason }) => [signerId, reason]),
      [
        ['a', 'audience-mismatch'],
        ['b', 'audience-mismatch'],
      ],
    )
    const failed = explained[0]?.checks.filter(({ pass }) => !pass).map(({ check }) => check)
    assert.deepEqual(failed, ['audience', 'expiry'])
    assert.equal(hints.length, 3)
  })

  it('returns "accepted" and no hint for a valid token', async () => {
    const { signers, hints } = await explain(tokenOf(CLAIMS))
    assert.deepEqual([signers.map(({ reason }) => reason), hints], [['accepted'], []])
  })

  it('returns "signer-disabled" for a disabled signer whose checks pass', async () => {
    const { signers } = await explain(tokenOf(CLAIMS), { signers: [signerOf({ enabled: false })] })
    assert.deepEqual(
      signers.map(({ reason, checks }) => [reason, checks.every(({ pass }) => pass)]),
      [['signer-disabled', true]],
    )
  })

  it('returns no signers for a malformed token', async () => {
    const { signers, hints } = await explain('opaque')
    assert.deepEqual([signers, hints.length], [[], 1])
  })

  it('gives no hints about other signers when one accepts the token', async () => {
    const signers = [signerOf({ id: 'a', audience: 'other' }), signerOf({ id: 'b' })]
    const { signers: explained, hints } = await explain(tokenOf({ ...CLAIMS, aud: ['api://countersign', 'other'] }), {
      signers: [...signers, signerOf({ id: 'c', claimsProperty: 'email', audience: 'third' })],
    })
    assert.deepEqual([explained.length, hints], [2, []])
  })

  it('gives a safe hint for every text', async () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.tuple(fc.nat(400), fc.string()).map(([at, junk]) => {
        const token = tokenOf(CLAIMS, { key: mintKey('Ed25519') })
        return token.slice(0, at) + junk + token.slice(at + junk.length)
      }),
    )
    const check = async (token: string): Promise<void> => {
      const { signers, hints } = await explain(token, { keys: keysOf(KEY, mintKey('Ed25519')) })
      const isAccepted = signers.some(({ reason }) => reason === 'accepted')
      assert.equal(hints.length > 0, !isAccepted)
      await hintsOf(token)
    }
    await fc.assert(fc.asyncProperty(text, check), { numRuns: 500 })
  })
})
