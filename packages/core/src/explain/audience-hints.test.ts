import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertHints, signerOf, TENANT, tokenOf } from './explain.fixture.ts'
import type { HintKind } from './hint.ts'

const ENTRA = `https://login.microsoftonline.com/${TENANT}/v2.0`

/** Asserts the hint for a token with this `aud`, and that there is none when the token has the signer's audience. */
async function assertAudienceHint(kind: HintKind, claims: Record<string, unknown>, audience: string): Promise<string> {
  const issuer = String(claims.iss)
  const text = await assertHints(tokenOf(claims), [kind], { signers: [signerOf({ issuer, audience })] })
  await assertHints(tokenOf({ ...claims, aud: audience }), [], { signers: [signerOf({ issuer, audience })] })
  return text
}

describe('hints on the audience', () => {
  it('D18 says what the token is for and what the signer expects', async () => {
    const claims = { iss: 'https://acme.okta.com/oauth2/aus1example', aud: 'api://x', ver: 1, cid: '0oa1example' }
    const text = await assertAudienceHint('audience-mismatch', claims, 'api://y')
    assert.match(text, /the token's aud is "api:\/\/x", the signer "corp" expects "api:\/\/y": request a token/)
    assert.match(
      await assertAudienceHint('audience-mismatch', { ...claims, aud: ['a', 'b'] }, 'api://y'),
      /aud is \["a","b"\]/,
    )
  })

  it('names every audience that the signer accepts, and gives no hint when one of them matches', async () => {
    const signers = [signerOf({ audience: 'api://x', additionalAudiences: ['api://y', 'API://Z'] })]
    const { issuer: iss } = signers[0] ?? signerOf()
    const text = await assertHints(tokenOf({ iss, aud: 'other' }), ['audience-mismatch'], { signers })
    assert.match(text, /expects "api:\/\/x" or "api:\/\/y" or "API:\/\/Z": request a token/)
    await assertHints(tokenOf({ iss, aud: 'api://z/' }), ['audience-spelling'], { signers })
    await assertHints(tokenOf({ iss, aud: ['other', 'api://y'] }), [], { signers })
  })

  it('D18 explains the audience "account" of Keycloak by a missing mapper', async () => {
    const claims = {
      iss: 'https://sso.example.com/realms/acme',
      typ: 'Bearer',
      azp: 'network-api-ci',
      aud: 'account',
      scope: 'profile email',
      preferred_username: 'service-account-network-api-ci',
      realm_access: { roles: ['default-roles-acme'] },
    }
    const text = await assertAudienceHint('audience-keycloak-account', claims, 'api://countersign')
    assert.match(text, /aud is "account".*add an audience mapper with "api:\/\/countersign"/)
    const several = { ...claims, aud: ['realm-management', 'account'] }
    await assertAudienceHint('audience-keycloak-account', several, 'api://countersign')
    await assertAudienceHint('audience-mismatch', { ...claims, aud: ['app', 'account'] }, 'api://countersign')
  })

  it('recognises the default audiences of providers', async () => {
    const graph = { iss: ENTRA, aud: '00000003-0000-0000-c000-000000000000', scp: 'User.Read', tid: TENANT }
    assert.match(await assertAudienceHint('audience-graph', graph, 'api://y'), /\/\.default/)
    const github = { iss: 'https://token.actions.githubusercontent.com', aud: 'https://github.com/acme' }
    await assertAudienceHint('audience-github', { ...github, repository: 'acme/app' }, 'api://y')
    const kubernetes = { iss: 'https://kubernetes.default.svc.cluster.local', aud: ['https://kubernetes.default.svc'] }
    assert.match(await assertAudienceHint('audience-kubernetes', kubernetes, 'api://y'), /projected service account/)
  })

  it('recognises tokens without aud, and those of Cognito, which never have one', async () => {
    const pool = { iss: 'https://cognito-idp.us-east-1.amazonaws.com/us-east-1_EXAMPLE', client_id: '6example' }
    const cognito = { ...pool, token_use: 'access', scope: 'gateway/all', version: 2 }
    assert.match(
      await assertAudienceHint('audience-cognito', cognito, '6example'),
      /access tokens of Cognito have no aud/,
    )
    await assertAudienceHint('audience-missing', { iss: 'https://idp.example/a' }, 'api://y')
    await assertAudienceHint('audience-missing', { iss: 'https://idp.example/a', aud: 7 }, 'api://y')
    await assertAudienceHint('audience-missing', { iss: 'https://idp.example/a', aud: [] }, 'api://y')
  })

  it('recognises an audience that differs only in spelling, such as api:// before a client id', async () => {
    const id = 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee'
    await assertAudienceHint('audience-spelling', { iss: ENTRA, aud: id }, `api://${id}`)
    await assertAudienceHint('audience-spelling', { iss: ENTRA, aud: 'https://Api.example/' }, 'https://api.example')
    await assertAudienceHint('audience-mismatch', { iss: ENTRA, aud: `${id}0` }, `api://${id}`)
  })

  it('D9 compares with at most five signers of the same issuer', async () => {
    const signers = Array.from({ length: 30 }, (_, index) =>
      signerOf({ id: `signer-${index}`, name: `n${index}`, audience: `a${index}` }),
    )
    const token = tokenOf({ iss: 'https://idp.example/a', aud: 'other' })
    await assertHints(token, Array<HintKind>(5).fill('audience-mismatch'), { signers })
    await assertHints(tokenOf({ iss: 'https://idp.example/a', aud: ['other', 'a7'] }), [], { signers })
  })
})
