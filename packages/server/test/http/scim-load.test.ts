import assert from 'node:assert/strict'
import { test } from 'node:test'
import { patchBody, refusal, setUpScim } from './scim.fixture.ts'

/** Each of the attacks below stopped all logins for longer than this, some for half a minute. */
const MAX_LOGIN_MS = 3_000

test('V-20 a PATCH with many emails or many filters over them does not stop logins', async (t) => {
  const { scim, logIn } = await setUpScim(t)
  await scim.addUser()
  const emails = Array.from({ length: 20 }, (_, each) => ({ value: `${each}@b`, type: 'AB'.repeat(500) }))
  const id = await scim.addUser('with emails', { emails })
  const many = (part: (each: number) => Readonly<Record<string, unknown>>) =>
    patchBody(...Array.from({ length: 500 }, (_, each) => part(each)))
  const filter = Array.from({ length: 32 }, () => 'type eq "x"').join(' or ')
  const removing = many(() => ({ op: 'replace', path: `emails[${filter}].display`, value: '' }))
  const address = (each: number) => (_: unknown, index: number) => `${each * 20 + index}`
  const adding = many((each) => ({
    op: 'add',
    value: { [`emails[type eq "${each}"]`]: Array.from({ length: 18 }, address(each)) },
  }))
  for (const [body, expected] of [
    [removing, 200],
    [adding, 400],
  ] as const) {
    const patched = scim.call('PATCH', `/Users/${id}`, body)
    const start = performance.now()
    await logIn()
    const reply = await patched
    const ms = performance.now() - start
    assert.equal(reply.status, expected, reply.text)
    if (expected === 400) assert.deepEqual(refusal(reply), [400, 'tooMany'])
    assert.ok(ms < MAX_LOGIN_MS, `${ms} ms`)
  }
})
