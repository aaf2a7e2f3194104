import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { SIGNER } from '@countersign/contract/ext-jwt-signer'

const HERE = new URL('.', import.meta.url)
const sources = readdirSync(HERE, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.tsx'))
const text = sources.map((file) => readFileSync(new URL(file, HERE), 'utf8')).join('\n')

/** Edited by several inputs, with the path of one of them. */
const PARTS: Readonly<Record<string, string>> = {
  requiredClaims: 'rows={form.values.requiredClaims}',
  sharedSignals: 'sharedSignals.audience',
  tags: "getInputProps('tags')",
}

test('every writable member of a signer has an input in the form', () => {
  const members = Object.keys(SIGNER.write.properties)
  assert.ok(members.length > 20)
  const hasInput = (member: string) =>
    [PARTS[member] ?? `field('${member}', `, `signerField(form)('${member}', `].some((input) => text.includes(input))
  assert.deepEqual(
    members.filter((member) => !hasInput(member)),
    [],
  )
  assert.ok(!hasInput('noSuchMember'))
})
