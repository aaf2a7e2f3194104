import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'yaml'
import { quoteValue } from '../src/commands/events-tail.ts'
import { COMMANDS } from '../src/commands.ts'
import { NO_INPUT } from '../src/input.ts'
import { printChange } from '../src/output/print-change.ts'
import { printList, printObject } from '../src/output/print-result.ts'
import { createTerminal } from '../src/terminal.ts'

const INVISIBLE = '\u061c\u2028\u2029\u200b\u200c\u200d\u2060\ufeff\u00ad\u3164\u{e0041}'
const HOSTILE = `a\x1b[2J\x1b]0;title\x07\u009b31m\u202e${INVISIBLE}b\r\nc`
// biome-ignore lint/suspicious/noControlCharactersInRegex: these must not occur
const CONTROL_CHARACTERS = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/

function createCall(output: string, isTTY = false) {
  let written = ''
  const stream = { isTTY, columns: 80, write: (text: string) => (written += text) }
  const call = {
    args: [],
    flags: { output },
    env: {},
    input: NO_INPUT,
    terminal: createTerminal(stream, stream, { NO_COLOR: '1' }),
  }
  return { call, read: () => written }
}

for (const format of ['table', 'json', 'yaml', 'name']) {
  test(`Q-22 names from a server cannot control the terminal in -o ${format}`, async () => {
    const { call, read } = createCall(format, true)
    await printList(call, [{ name: HOSTILE }], [{ title: 'NAME', get: ({ name }) => name }])
    await printObject(call, { name: HOSTILE, [HOSTILE]: 'value' })
    assert.doesNotMatch(read(), CONTROL_CHARACTERS)
    for (const character of INVISIBLE) assert.ok(!read().includes(character), character.codePointAt(0)?.toString(16))
    assert.match(read(), /a.*b/)
  })
}

test('a time of the hosted API is one line of a table', async () => {
  const { call, read } = createCall('table')
  await printObject(call, { createdAt: { epochSecond: 1_794_990_173, nano: 299_000_000 }, usage: { networks: 3 } })
  assert.equal(read(), 'createdAt       2026-11-18T08:22:53.000Z\nusage.networks  3\n')
})

test('JSON and YAML preserve the value', async () => {
  const value = { name: 'one', list: [1, 'two', null], inner: { yes: true }, lines: 'a\nb\n', [HOSTILE]: [HOSTILE] }
  for (const [format, read] of [
    ['json', (text: string) => JSON.parse(text)],
    ['yaml', (text: string) => parse(text)],
  ] as const) {
    const { call, read: written } = createCall(format)
    await printObject(call, value)
    assert.deepEqual(read(written()), value)
  }
})

test('a change prints a sentence, an object or the name', async () => {
  const change = { action: 'deleted', kind: 'signer', item: { id: 'one', name: 'first' }, members: { file: 'f' } }
  const texts: string[] = []
  for (const format of ['table', 'json', 'yaml', 'name']) {
    const { call, read } = createCall(format)
    await printChange(call, { ...change, ending: '; done' })
    texts.push(read())
  }
  const [table, json = '', yaml = '', name] = texts
  assert.deepEqual([table, name], ['deleted signer first (one); done\n', 'first\n'])
  for (const value of [JSON.parse(json), parse(yaml)]) assert.deepEqual(value, { id: 'one', name: 'first', file: 'f' })
  const { call, read } = createCall('name')
  await printChange(call, { ...change, item: { id: 'one' } })
  assert.equal(read(), 'one\n', 'without a name it is the id')
})

test('Q-23 no command has a flag that weakens verification', async () => {
  let seen = 0
  for (const row of COMMANDS) {
    for (const { name } of (await row.load()).flags) {
      assert.doesNotMatch(name, /insecure|verif|unsafe|skip|self-signed|no-check/, `${row.name} --${name}`)
      seen++
    }
  }
  assert.ok(seen > 100)
})

test('no command has two flags of one name', async () => {
  for (const row of COMMANDS) {
    const names = (await row.load()).flags.map(({ name }) => name)
    assert.deepEqual([row.name, new Set(names).size], [row.name, names.length])
  }
})

test('Q-21 no command accepts a secret as a flag value or argument', async () => {
  for (const row of COMMANDS) {
    const { flags, args } = await row.load()
    for (const { name, value } of flags) {
      const isSecret = /password|secret|token|code|session|jwt/.test(name)
      assert.ok(
        !isSecret || value === undefined || /FILE|COMMAND|KIND|SECONDS|URL|AUDIENCE|N/.test(value),
        `${row.name} --${name} ${value}`,
      )
    }
    assert.ok(!args.some((arg) => /TOKEN|PASSWORD|CODE/.test(arg)), row.name)
  }
})

test('Q-22 a name in an event cannot look like another member', () => {
  assert.equal(quoteValue('erin@example.com'), 'erin@example.com')
  assert.equal(quoteValue('x success=true'), '"x success=true"')
  assert.equal(quoteValue('success=true'), '"success=true"')
  assert.equal(quoteValue('a"b'), '"a\\"b"')
  assert.equal(quoteValue('a\u200bb'), '"a\\u200bb"')
})
