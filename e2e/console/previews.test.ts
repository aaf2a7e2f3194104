/** Previews in the forms, and the question before a change that locks administrators out. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Dialog } from 'playwright-core'
import { needsBrowser } from '../browser/launch-browser.ts'
import { type ConsoleStage, useConsole } from './console-stage.ts'

const stage = useConsole()
const manage: ConsoleStage['manage'] = (...call) => stage().manage(...call)

const POLICIES = '/auth-policies'
const IDENTITIES = '/identities'

test('the forms of policies and identities show the effect of a change before it is saved', needsBrowser, async () => {
  const { controller, open } = stage()
  const { primary, secondary } = await manage('GET', `${POLICIES}/default`)
  const policy = (await manage('POST', POLICIES, { name: 'of erin', primary, secondary })).id
  const erin = { name: 'erin', type: 'Default', isAdmin: false, authPolicyId: policy, roleAttributes: ['sales'] }
  const id = (await manage('POST', IDENTITIES, erin)).id
  const credential = { username: 'erin', password: 'the password of erin' }
  await manage('POST', '/authenticators', { method: 'updb', identityId: id, ...credential })
  const logIn = () => controller.request('POST', '/edge/client/v1/authenticate?method=password', { body: credential })
  assert.equal((await logIn()).status, 200)
  const { page, pageErrors, goAsAdmin } = await open()
  const preview = page.getByRole('button', { name: 'Preview' })
  const report = page.getByRole('status', { name: 'Preview' })

  await goAsAdmin(`policies/${policy}`)
  await preview.click()
  await report.getByText('0 sessions would end').waitFor()
  await page.getByRole('switch', { name: 'Allow login by password' }).click()
  await preview.click()
  await report.getByText('1 sessions would end').waitFor()
  await report.getByText('erin would be refused').waitFor()
  assert.equal((await manage('GET', `${POLICIES}/${policy}`)).primary.updb.allowed, true)

  await page.getByRole('switch', { name: 'Allow login by password' }).click()
  await goAsAdmin(`identities/${id}/edit`)
  const attributes = page.getByRole('combobox', { name: 'Attributes' })
  await attributes.fill('support')
  await attributes.press('Enter')
  await preview.click()
  await report.getByText('erin would get other attributes: +support').waitFor()
  assert.deepEqual((await manage('GET', `${IDENTITIES}/${id}`)).roleAttributes, ['sales'])
  assert.equal((await logIn()).status, 200)
  assert.deepEqual(pageErrors, [])
})

test(
  'a change by which no administrator may be able to log in is saved only after a question',
  needsBrowser,
  async () => {
    const { page, go, goAsAdmin } = await stage().open()
    page.removeAllListeners('dialog')
    const savedRule = async () => (await manage('GET', `${POLICIES}/default`)).acceptRule
    await goAsAdmin('policies/default')
    const rule = page.getByRole('textbox', { name: 'Accept rule' })
    const save = page.getByRole('button', { name: 'Save' })
    const list = page.getByRole('heading', { level: 1, name: 'Authentication policies' })
    // It reads the request, so that no kept login shows that it accepts; it accepts all the same.
    const acceptRule = 'request.time > timestamp("2020-01-01T00:00:00Z")'
    const questions: string[] = []
    const reply = (yes: boolean) =>
      page.once('dialog', (dialog: Dialog) => {
        questions.push(dialog.message())
        void (yes ? dialog.accept() : dialog.dismiss())
      })
    await rule.fill(acceptRule)
    reply(false)
    await save.click()
    await page.getByText('After this change no administrator could log in.').waitFor()
    assert.equal(await savedRule(), null)
    reply(true)
    await save.click()
    await list.waitFor()
    assert.equal(await savedRule(), acceptRule)
    assert.equal(questions.length, 2)
    assert.match(questions[0] ?? '', /No administrator is known to be able to log in/)

    await go('policies/default')
    await rule.fill('')
    await save.click()
    await list.waitFor()
    assert.equal(await savedRule(), null)
    assert.equal(questions.length, 2, 'less is checked than before')
  },
)

test('a token that was tested becomes a test case of its signer by one click', needsBrowser, async () => {
  const { controller, open } = stage()
  const response = await fetch(`${controller.ready.identityProviderUrl}/dev/token`, {
    method: 'POST',
    body: new URLSearchParams({ person: 'alice' }),
  })
  const { access_token: token } = (await response.json()) as { access_token: string }
  const { page, pageErrors, goAsAdmin } = await open()
  await goAsAdmin('test-token')
  await page.getByRole('textbox', { name: 'Token' }).fill(token)
  await page.getByRole('button', { name: 'Test', exact: true }).click()
  await page.getByRole('button', { name: 'Add as test case' }).click()
  await page.getByText('Every save of the signer checks it from now on.').waitFor()
  const signers: { testCases: { expect: { outcome: string } }[] }[] = await manage('GET', '/ext-jwt-signers')
  assert.deepEqual(
    signers.flatMap(({ testCases }) => testCases.map(({ expect }) => expect.outcome)),
    ['accepted'],
  )
  assert.deepEqual(pageErrors, [])
})
