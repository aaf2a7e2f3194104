import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { SIGNER } from '@countersign/contract/ext-jwt-signer'

const HERE = new URL('.', import.meta.url)
const sources = readdirSync(HERE).filter((file) => file.endsWith('.tsx'))
const text = sources.map((file) => readFileSync(new URL(file, HERE), 'utf8')).join('\n')

/** Each row of claims has inputs of its own. */
const IN_ROWS = 'requiredClaims'

test('every member of a signer that the server takes has an input in the form', () => {
  const members = Object.keys(SIGNER.write.properties)
  assert.ok(members.length > 20)
  const hasInput = (member: string) =>
    member === IN_ROWS ? text.includes(`${IN_ROWS}.$`) : text.includes(`getInputProps('${member}'`)
  assert.deepEqual(
    members.filter((member) => !hasInput(member)),
    [],
  )
  assert.ok(!hasInput('noSuchMember'))
})
