import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { OTHER_TENANT, signerOf, TENANT } from './explain.fixture.ts'
import { findNearSigners, MAX_NEAR_SIGNERS } from './find-near-signers.ts'

const CLAIMS = { iss: 'https://idp.example/a', aud: ['api://countersign', 'second'] }
const ids = (claims: Parameters<typeof findNearSigners>[0], signers: Parameters<typeof findNearSigners>[1]): string[] =>
  findNearSigners(claims, signers).map(({ id }) => id)

describe('findNearSigners', () => {
  it('D18 finds signers that nearly match, the nearest first', () => {
    const signers = [
      signerOf({ id: 'host', issuer: 'https://idp.example:8443/b' }),
      signerOf({ id: 'far', issuer: 'https://elsewhere.example/a' }),
      signerOf({ id: 'slash', issuer: 'https://idp.example/a/' }),
      signerOf({ id: 'audience', audience: 'other' }),
      signerOf({ id: 'disabled', enabled: false }),
    ]
    assert.deepEqual(ids(CLAIMS, signers), ['disabled', 'audience', 'slash', 'host'])
  })

  it('finds an Entra tenant in its other version before other tenants', () => {
    const entra = (id: string, path: string) => signerOf({ id, issuer: `https://login.microsoftonline.com/${path}` })
    const signers = [
      entra('other', `${OTHER_TENANT}/v2.0`),
      entra('address', `${TENANT}`),
      entra('version', `${TENANT}/v2.0`),
      entra('nothing', ''),
    ]
    const claims = { iss: `https://sts.windows.net/${TENANT}/`, aud: 'x' }
    assert.deepEqual(ids(claims, signers), ['address', 'version', 'other'])
  })

  it('D9 finds the signers that fit, in order of id, and no others beside them', () => {
    const signers = [
      signerOf({ id: 'c', audience: 'second' }),
      signerOf({ id: 'b', audience: 'other' }),
      signerOf({ id: 'a' }),
    ]
    assert.deepEqual(ids(CLAIMS, signers), ['a', 'c'])
    assert.deepEqual(ids({ ...CLAIMS, aud: 'none' }, signers), ['a', 'b', 'c'])
  })

  it('finds the signer that fits by an additional audience, and no others beside it', () => {
    const signers = [signerOf({ id: 'b', audience: 'x', additionalAudiences: ['second'] }), signerOf({ id: 'a' })]
    assert.deepEqual(ids({ ...CLAIMS, aud: 'second' }, signers), ['b'])
    assert.deepEqual(ids({ ...CLAIMS, aud: 'none' }, signers), ['a', 'b'])
  })

  it('finds no more than 20, and none for a token without issuer', () => {
    const many = Array.from({ length: 1000 }, (_, index) => signerOf({ id: `s${index}`, audience: `a${index}` }))
    assert.equal(findNearSigners(CLAIMS, many).length, MAX_NEAR_SIGNERS)
    assert.deepEqual(ids({ aud: 'a1' }, many), [])
    assert.deepEqual(ids({ iss: '', aud: 'a1' }, many), [])
    assert.deepEqual(ids({ iss: '/', aud: 'a1' }, [signerOf({ issuer: 'x/' })]), [])
  })
})
