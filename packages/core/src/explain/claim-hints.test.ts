import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertHints, signerOf, TENANT, tokenOf } from './explain.fixture.ts'

const ISSUER = 'https://idp.example/a'
const AUDIENCE = 'api://countersign'
const token = (claims: Record<string, unknown>): string => tokenOf({ iss: ISSUER, aud: AUDIENCE, ...claims })

describe('hints on claims', () => {
  it('lists the names of the claims when the identity claim is missing, without values', async () => {
    const signers = [signerOf({ claimsProperty: 'email' })]
    const text = await assertHints(token({ upn: 'alice@acme.example' }), ['identity-claim-missing'], { signers })
    assert.match(
      text,
      /by "email" \(claimsProperty\).*it has "sub", "iat", "exp", "iss", "aud", "upn": set claimsProperty/,
    )
    assert.equal(text.includes('alice'), false)
    await assertHints(token({ email: 'alice@acme.example' }), [], { signers })
  })

  it('names at most 20 claims', async () => {
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`claim-${index}`, index]))
    const signers = [signerOf({ claimsProperty: '/user/email' })]
    const text = await assertHints(token(many), ['identity-claim-missing'], { signers })
    assert.ok(text.includes('"claim-14", …') && !text.includes('claim-15'))
    await assertHints(token({ ...many, user: { email: 'a' } }), [], { signers })
  })

  it('explains why an identity claim is unusable', async () => {
    assert.match(await assertHints(token({ sub: 4711 }), ['identity-claim-unusable']), /which is a number/)
    assert.match(await assertHints(token({ sub: ['a'] }), ['identity-claim-unusable']), /which is an array/)
    assert.match(await assertHints(token({ sub: ' ' }), ['identity-claim-unusable']), /which is an empty string/)
    assert.match(await assertHints(token({ sub: null }), ['identity-claim-unusable']), /which is null/)
    assert.match(await assertHints(token({ sub: {} }), ['identity-claim-unusable']), /which is an object/)
    assert.match(await assertHints(token({ sub: 'a\u0000' }), ['identity-claim-unusable']), /cannot be used/)
    await assertHints(token({ sub: '4711' }), [])
  })

  it('D14 gives a hint for every required claim that is not met', async () => {
    const signers = [
      signerOf({ requiredClaims: { repository_owner: 'acme', ref: ['refs/heads/main', 'refs/heads/next'] } }),
    ]
    const both = await assertHints(token({ ref: 'refs/heads/x' }), ['required-claim-unmet', 'required-claim-unmet'], {
      signers,
    })
    assert.match(both, /requires "repository_owner" to be "acme", which the token does not have: configure/)
    assert.match(both, /requires "ref" to be "refs\/heads\/main", "refs\/heads\/next", which is "refs\/heads\/x" in/)
    await assertHints(token({ repository_owner: 'acme', ref: 'refs/heads/x' }), ['required-claim-unmet'], { signers })
    await assertHints(token({ repository_owner: 'acme', ref: 'refs/heads/next' }), [], { signers })
  })

  it('gives a hint for a token that is bound to a certificate', async () => {
    await assertHints(token({ cnf: { 'x5t#S256': 'a'.repeat(43) } }), ['certificate-not-sent'])
    await assertHints(token({ cnf: { 'x5t#S256': 'abc' } }), ['possession-not-proven'])
    await assertHints(token({ cnf: null }), [])
  })

  it('D18 gives a hint for groups that Entra omitted, when the signer reads groups', async () => {
    const claims = {
      iss: `https://login.microsoftonline.com/${TENANT}/v2.0`,
      _claim_names: { groups: 'src1' },
      _claim_sources: { src1: { endpoint: `https://graph.microsoft.com/v1.0/users/0f0f/getMemberObjects` } },
    }
    const signer = (fields: object) => ({ signers: [signerOf({ issuer: claims.iss, ...fields })] })
    const attributes = signer({ enrollAttributeClaimsSelector: '/groups' })
    assert.match(await assertHints(token(claims), ['claims-omitted'], attributes), /Groups assigned to the application/)
    const required = signer({ requiredClaims: { groups: 'g1' } })
    await assertHints(token(claims), ['required-claim-unmet', 'claims-omitted'], required)
    await assertHints(token({ iss: claims.iss, hasgroups: true }), ['claims-omitted'], attributes)
    await assertHints(token({ iss: claims.iss, groups: ['g1'] }), [], attributes)
    await assertHints(token(claims), [], signer({}))
  })
})
