import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseMembers } from '../src/resources/field-flags.ts'

test('a YAML file with an unknown directive is read, and its characters are not printed', async (t) => {
  const warnings: string[] = []
  const note = ({ message }: Error) => void warnings.push(message)
  process.on('warning', note)
  t.after(() => process.off('warning', note))
  const text = (directive: string) => `${directive}\n---\nsigners: []\n`
  for (const directive of ['%FOO \u001b]0;TITLE\u0007 bar', '%YAML 1.2']) {
    assert.deepEqual(await parseMembers(text(directive), 'state.yaml'), { signers: [] })
  }
  await sleep(10)
  assert.deepEqual(warnings, [])
  await assert.rejects(parseMembers('a: [', 'state.yaml'), /state\.yaml: /)
})
