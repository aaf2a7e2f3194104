import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertHints, OTHER_TENANT, signerOf, TENANT, tokenOf } from './explain.fixture.ts'

const V1 = `https://sts.windows.net/${TENANT}/`
const V2 = `https://login.microsoftonline.com/${TENANT}/v2.0`

describe('hints on the issuer', () => {
  it('D18 names a trailing slash in iss, as Auth0 has it', async () => {
    const claims = {
      iss: 'https://acme.us.auth0.com/',
      sub: 'Qexampleclient@clients',
      aud: 'https://gateway.example.net/',
      azp: 'Qexampleclient',
      gty: 'client-credentials',
    }
    const signer = (issuer: string) => ({ signers: [signerOf({ issuer, audience: 'https://gateway.example.net/' })] })
    const text = await assertHints(tokenOf(claims), ['issuer-spelling'], signer('https://acme.us.auth0.com'))
    assert.match(
      text,
      /differs in the trailing slash: set the signer's issuer to exactly "https:\/\/acme.us.auth0.com\/"/,
    )
    await assertHints(tokenOf(claims), [], signer('https://acme.us.auth0.com/'))
  })

  it('D18 names differences in letter case, http, a default port and white space in iss', async () => {
    const token = tokenOf({ iss: 'https://sso.example.com/realms/Acme', aud: 'api://countersign' })
    const differences = {
      'https://sso.example.com/realms/acme': /differs in letter case:/,
      'https://SSO.example.com/realms/Acme': /differs in letter case:/,
      'http://sso.example.com/realms/Acme': /differs in http or https:/,
      'sso.example.com/realms/Acme': /differs in http or https:/,
      'https://sso.example.com:443/realms/Acme': /differs in the port:/,
      ' https://sso.example.com/realms/Acme': /differs in white space around it:/,
      'https://sso.example.com/realms/acme/': /differs in the trailing slash and letter case:/,
    }
    for (const [issuer, expected] of Object.entries(differences)) {
      const text = await assertHints(token, ['issuer-spelling'], { signers: [signerOf({ issuer })] })
      assert.match(text, expected)
    }
    await assertHints(token, [], { signers: [signerOf({ issuer: 'https://sso.example.com/realms/Acme' })] })
  })

  it('D18 recognises an Entra token of version 1 with a signer for version 2, and the reverse', async () => {
    const v1 = { iss: V1, aud: 'api://countersign', tid: TENANT, appid: 'aaaaaaaa-bbbb', appidacr: '1', ver: '1.0' }
    const v2 = { iss: V2, aud: 'api://countersign', tid: TENANT, azp: 'aaaaaaaa-bbbb', azpacr: '1', ver: '2.0' }
    const first = await assertHints(tokenOf(v1), ['issuer-entra-version'], { signers: [signerOf({ issuer: V2 })] })
    assert.match(
      first,
      /the token has version 1, so set the signer's issuer to the token's, or requestedAccessTokenVersion/,
    )
    const second = await assertHints(tokenOf(v2), ['issuer-entra-version'], { signers: [signerOf({ issuer: V1 })] })
    assert.match(second, /the token has version 2/)
    await assertHints(tokenOf(v1), [], { signers: [signerOf({ issuer: V1 })] })
    await assertHints(tokenOf(v2), [], { signers: [signerOf({ issuer: V2 })] })
  })

  it('D18 recognises a token of another Entra tenant, and names both tenants', async () => {
    const iss = `https://login.microsoftonline.com/${OTHER_TENANT}/v2.0`
    const token = tokenOf({ iss, aud: 'api://countersign', tid: OTHER_TENANT, azpacr: '1' })
    const text = await assertHints(token, ['issuer-entra-tenant'], { signers: [signerOf({ issuer: V2 })] })
    assert.ok(text.includes(`"${OTHER_TENANT}"`) && text.includes(`"${TENANT}"`))
    await assertHints(token, [], { signers: [signerOf({ issuer: iss })] })
  })

  it('says that no token has the shared login endpoint of Entra as its issuer', async () => {
    const signers = [signerOf({ issuer: 'https://login.microsoftonline.com/common/v2.0' })]
    const token = tokenOf({ iss: V2, aud: 'api://countersign', tid: TENANT })
    await assertHints(token, ['issuer-entra-shared'], { signers })
    await assertHints(token, [], { signers: [...signers, signerOf({ id: 'own', issuer: V2 })] })
  })

  it('D18 recognises a token of another realm on the same host, and gives no other hints', async () => {
    const token = tokenOf({ iss: 'https://sso.example.com/realms/other', aud: 'account', exp: 1 })
    const signers = [signerOf({ issuer: 'https://sso.example.com/realms/acme' })]
    const text = await assertHints(token, ['issuer-other-tenant'], { signers })
    assert.match(text, /on the same host: get the token from there/)
  })

  it('gives a hint for an unknown issuer, and for a missing one', async () => {
    await assertHints(tokenOf({ iss: 'https://elsewhere.example', aud: 'api://countersign' }), ['issuer-unknown'])
    await assertHints(tokenOf({ aud: 'api://countersign' }), ['issuer-missing'])
    await assertHints(tokenOf({ iss: 7, aud: 'api://countersign' }), ['issuer-missing'])
    await assertHints(tokenOf({ iss: 'https://idp.example/a', aud: 'api://countersign' }), [])
  })

  it('names both issuers when the chosen signer has an unrelated one', async () => {
    const token = tokenOf({ iss: 'https://elsewhere.example', aud: 'api://countersign' })
    const text = await assertHints(token, ['issuer-other-provider'], { areChosen: true })
    assert.match(text, /iss is "https:\/\/elsewhere.example", the signer "corp" expects "https:\/\/idp.example\/a"/)
    await assertHints(tokenOf({ aud: 'api://countersign' }), ['issuer-missing'], { areChosen: true })
    await assertHints(tokenOf({ iss: 'https://idp.example/a', aud: 'api://countersign' }), [], { areChosen: true })
  })

  it('gives all hints at once when the token is clearly intended for the signer', async () => {
    const token = tokenOf({ iss: 'https://idp.example/a/', aud: 'other', exp: 1000 })
    await assertHints(token, ['issuer-spelling', 'audience-mismatch', 'expired-long-ago', 'issued-at-unusable'])
    const valid = tokenOf({ iss: 'https://idp.example/a', aud: 'api://countersign' })
    await assertHints(valid, [])
  })

  it('escapes invisible characters and truncates long values', async () => {
    const iss = `https://idp.example/\u202e${'x'.repeat(1000)}`
    const text = await assertHints(tokenOf({ iss, aud: 'api://countersign' }), ['issuer-other-tenant'])
    assert.ok(text.includes('\\u{202e}') && !text.includes('\u202e'))
    assert.ok(text.length < 600)
  })
})
