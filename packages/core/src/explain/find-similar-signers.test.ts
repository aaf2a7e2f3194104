import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { OTHER_TENANT, signerOf, TENANT } from './explain.fixture.ts'
import { findSimilarSigners, MAX_SIMILAR_SIGNERS } from './find-similar-signers.ts'

const CLAIMS = { iss: 'https://idp.example/a', aud: ['api://countersign', 'second'] }
const ids = (
  claims: Parameters<typeof findSimilarSigners>[0],
  signers: Parameters<typeof findSimilarSigners>[1],
): string[] => findSimilarSigners(claims, signers).map(({ id }) => id)

describe('findSimilarSigners', () => {
  it('D18 finds signers that nearly match, the most similar first', () => {
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

  it('D9 finds only the signers that match exactly, by id, when there are any', () => {
    const signers = [
      signerOf({ id: 'c', audience: 'second' }),
      signerOf({ id: 'b', audience: 'other' }),
      signerOf({ id: 'a' }),
    ]
    assert.deepEqual(ids(CLAIMS, signers), ['a', 'c'])
    assert.deepEqual(ids({ ...CLAIMS, aud: 'none' }, signers), ['a', 'b', 'c'])
  })

  it('finds only the signer that matches by an additional audience', () => {
    const signers = [signerOf({ id: 'b', audience: 'x', additionalAudiences: ['second'] }), signerOf({ id: 'a' })]
    assert.deepEqual(ids({ ...CLAIMS, aud: 'second' }, signers), ['b'])
    assert.deepEqual(ids({ ...CLAIMS, aud: 'none' }, signers), ['a', 'b'])
  })

  it('finds at most 20, and none for a token without issuer', () => {
    const many = Array.from({ length: 1000 }, (_, index) => signerOf({ id: `s${index}`, audience: `a${index}` }))
    assert.equal(findSimilarSigners(CLAIMS, many).length, MAX_SIMILAR_SIGNERS)
    assert.deepEqual(ids({ aud: 'a1' }, many), [])
    assert.deepEqual(ids({ iss: '', aud: 'a1' }, many), [])
    assert.deepEqual(ids({ iss: '/', aud: 'a1' }, [signerOf({ issuer: 'x/' })]), [])
  })
})
