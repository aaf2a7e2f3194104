import assert from 'node:assert/strict'
import { test } from 'node:test'
import { needsBrowser } from '../browser/launch-browser.ts'
import { useConsole } from './console-stage.ts'

const MANAGEMENT = '/edge/management/v1'

/** Any of these that is executed calls `alert` or sets a property of the window. */
const HOSTILE = [
  '<script>window.hit=1</script>',
  '<img src=x onerror=window.hit=1>',
  '"><svg onload=window.hit=1>',
  "'-alert(1)-'",
  'javascript:alert(1)',
  '</title><script>alert(1)</script>',
  '{{constructor.constructor("window.hit=1")()}}',
  '$'.concat('{alert(1)}'),
  '<iframe srcdoc="<script>parent.hit=1</script>">',
  'jaVasCript:/*-/*`/*\\`/*\'/*"/**/(/* */oNcliCk=alert() )//</stYle/</titLe/</teXtarEa/</scRipt/--!><sVg/<sVg/oNloAd=alert()//>',
  '"onfocus="alert(1)" autofocus="',
  '&lt;b&gt;not bold&lt;/b&gt;',
  '__proto__',
  '=HYPERLINK("https://evil.example")',
  'Ω≈ç√∫˜µ≤≥÷ 田中さん 👍',
]

const MAX_WORD = 64
const LISTS = [
  'signers',
  'policies',
  'identities',
  'organization/api-accounts',
  'organization/networks',
  'organization/providers',
]

const stage = useConsole()

test('Q-03 names that contain markup or scripts are shown as text on every page', needsBrowser, async () => {
  const { controller, session } = stage()
  const post = async (path: string, body: unknown) => {
    const response = await controller.request('POST', path, { session, body })
    assert.equal(response.status, 201, response.text)
    const created = response.json ?? JSON.parse(response.text)
    return (created.data ?? created).id as string
  }
  const { primary, secondary } = (await controller.request('GET', `${MANAGEMENT}/auth-policies/default`, { session }))
    .json.data
  const providers = (await controller.request('GET', '/identity/v1/identity-providers', { session })).json
  const pages: { path: string; name: string }[] = []
  for (const [index, name] of HOSTILE.entries()) {
    const jwksEndpoint = `https://h${index}.example/keys`
    const issuer = name.replaceAll(/["|,\\]/g, '')
    const signer = await post(`${MANAGEMENT}/ext-jwt-signers`, {
      name,
      enabled: true,
      issuer,
      audience: name,
      jwksEndpoint,
      kid: name,
      clientId: name,
      scopes: [name],
      claimsProperty: name,
      requiredClaims: { [`claim ${name}`]: name },
      tags: { [`tag ${name}`]: name },
    })
    const extJwt = { allowed: true, allowedSigners: [signer] }
    const policy = await post(`${MANAGEMENT}/auth-policies`, { name, primary: { ...primary, extJwt }, secondary })
    const identity = await post(`${MANAGEMENT}/identities`, {
      name,
      type: 'User',
      isAdmin: false,
      externalId: name,
      attributes: [name],
      authPolicyId: policy,
    })
    const account = await post('/identity/v1/api-account-identities', {
      name,
      description: name,
      identityProviderId: providers[0].id,
      clientId: `client ${index}`,
    })
    const network = await post('/core/v3/networks', { name, region: name.slice(0, MAX_WORD) })
    const provider = await post('/identity/v1/identity-providers', {
      name,
      kind: 'oidc',
      issuer: `https://h${index}.example`,
      audience: name,
      jwksUri: jwksEndpoint,
      tokenUrl: `https://h${index}.example/token`,
    })
    pages.push(
      { path: `signers/${signer}`, name },
      { path: `policies/${policy}`, name },
      { path: `identities/${identity}`, name },
      { path: `organization/api-accounts/${account}`, name },
      { path: `organization/networks/${network}`, name },
      { path: `organization/providers/${provider}`, name },
    )
  }

  const { page, pageErrors, go, follow, goAsAdmin } = await stage().open()
  await goAsAdmin('')
  const planted = 'iframe, a[href^="javascript" i], [onerror], [onload]'
  const checkHarm = async (path: string) => {
    const harm = await page.evaluate(`['hit' in window, document.querySelectorAll('${planted}').length]`)
    assert.deepEqual([path, harm, pageErrors], [path, [false, 0], []])
  }
  for (const { path, name } of pages) {
    await follow(path)
    assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), name, path)
    await checkHarm(path)
  }
  await go(pages[0]?.path ?? '')
  await page.getByRole('link', { name: HOSTILE[0] ?? '' }).waitFor()
  const remove = page.getByRole('button', { name: `Delete ${HOSTILE[0]}` })
  assert.ok(await remove.isDisabled())
  await remove.hover({ force: true })
  await page
    .getByRole('tooltip')
    .getByText(HOSTILE[0] ?? '')
    .waitFor()
  await checkHarm('the reason why it cannot be deleted')
  for (const path of LISTS) {
    await follow(path)
    await page
      .getByText(HOSTILE[0] ?? '', { exact: true })
      .first()
      .waitFor()
    await page
      .getByText(HOSTILE.at(-1) ?? '', { exact: true })
      .first()
      .waitFor()
    await checkHarm(path)
  }
  await go('events')
  await page.getByText('<script>window.hit=1</script>').first().waitFor()
  await checkHarm('events')
  await go('')
  await page.getByText('Recent events').waitFor()
  await page
    .getByRole('region', { name: 'Signers' })
    .getByText(HOSTILE[0] ?? '', { exact: true })
    .waitFor()
  await checkHarm('the overview')
  await go('identities?q=%3Cimg%20src%3Dx%20onerror%3Dwindow.hit%3D1%3E')
  await page
    .getByRole('link', { name: HOSTILE[1] ?? '' })
    .first()
    .waitFor()
  await checkHarm('a search')
})

test('Q-03 external addresses are links only when they are https', needsBrowser, async () => {
  const { controller, session } = stage()
  const { page, go, goAsAdmin } = await stage().open()
  const base = { enabled: true, audience: 'links', jwksEndpoint: 'https://links.example/keys' }
  const ids = new Map<string, string>()
  for (const issuer of ['https://links.example', 'javascript:void(0)', 'data:text/html', '//evil.example']) {
    const body = { ...base, name: `links ${issuer}`, issuer }
    ids.set(issuer, (await controller.request('POST', `${MANAGEMENT}/ext-jwt-signers`, { session, body })).json.data.id)
  }
  await goAsAdmin('')
  for (const [issuer, id] of ids) {
    await go(`signers/${id}`)
    const links = await page
      .locator('dd a', { hasText: issuer })
      .evaluateAll((all) => all.map((link) => link.getAttribute('href')))
    const expected = issuer.startsWith('https:') ? [issuer, `${issuer}/keys`] : []
    assert.deepEqual(links, expected)
  }
})
