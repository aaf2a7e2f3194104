import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Reply } from './build-app.ts'
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

test('V-20 a login does not wait for all changes of groups that a provider has sent', async (t) => {
  const { scim, logIn } = await setUpScim(t)
  const member = await scim.addUser()
  await logIn()
  const group = await scim.addGroup('g')
  let done = 0
  const change = async (at: number) => {
    const op = { op: at % 2 === 0 ? 'add' : 'remove', path: 'members', value: [{ value: member }] }
    assert.equal((await scim.patch(`/Groups/${group}`, op)).status, 204)
    done += 1
  }
  const changes = Array.from({ length: 60 }, (_, at) => change(at))
  await logIn()
  assert.ok(done < 30, `${done} changes had been made`)
  await Promise.all(changes)
})

test('V-20 members count against the limit of a provider, also those of a group that is renamed or deleted', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'countersign-scim-'))
  t.after(() => rmSync(dir, { recursive: true, force: true }))
  const config = join(dir, 'countersign.json')
  writeFileSync(config, JSON.stringify({ limits: { scimBurst: 20, scimPerSecond: 1 } }))
  const { app, scim, createIdentity, signerId } = await setUpScim(
    t,
    {},
    { settings: { config }, isAlone: 'controller' },
  )
  const ids: string[] = []
  for (let each = 0; each < 200; each += 1) {
    ids.push(await createIdentity({ name: `${each}`, externalId: `${each}`, linkedSigners: [signerId] }))
  }
  const count = async (send: () => Promise<Reply>) => {
    app.clock.advance(60_000)
    for (let sent = 0; ; sent += 1) if ((await send()).status === 429) return sent
  }
  const add = (some: readonly string[]) => () =>
    scim.patch(`/Groups/${group}`, { op: 'add', path: 'members', value: some.map((value) => ({ value })) })
  const group = await scim.addGroup('g', ids)
  let renames = 0
  const rename = () => scim.patch(`/Groups/${group}`, { op: 'replace', path: 'displayName', value: `${renames++}` })
  const few = await count(add(ids.slice(0, 1)))
  assert.ok(few >= 19, `${few}`)
  const many = await count(add(ids))
  assert.ok(many <= 8, `${many}: each has the cost of five requests`)
  const renamed = await count(rename)
  assert.ok(renamed <= 8, `${renamed}`)
  app.clock.advance(60_000)
  assert.equal((await scim.call('DELETE', `/Groups/${group}`)).status, 204)
})
