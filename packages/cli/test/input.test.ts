import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { createInput } from '../src/input.ts'
import { describePendingKeys } from '../src/resources/pending-keys.ts'

/** What the terminal shows of a question that is answered with yes. */
async function ask(question: string): Promise<string> {
  const shown: string[] = []
  const stdin = new PassThrough() as unknown as NodeJS.ReadStream
  const input = createInput(stdin, { isTTY: true, write: (text) => shown.push(String(text)) > 0 })
  const answer = input.ask(question)
  stdin.push('yes\n')
  assert.equal(await answer, 'yes')
  return shown.join('')
}

test('Q-22 a question with untrusted text cannot control the terminal, and others are shown as they are', async () => {
  const hostile = '\x1b[1A\x1b[2K\u009b1m\r\u202e'
  const shown = await ask(`Delete the signer ${hostile}x (id)? `)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not occur
  assert.doesNotMatch(shown, /[\x00-\x1f\x7f-\x9f\u202e]/)
  assert.match(shown, /^Delete the signer .*x \(id\)\? $/)
  assert.equal(await ask('Delete the signer x (id)? '), 'Delete the signer x (id)? ')
})

test('Q-22 the kid of a key that waits can neither hide nor imitate its thumbprint', () => {
  const thumbprint = 'A'.repeat(43)
  assert.deepEqual(describePendingKeys([{ kid: 'key-2', thumbprint }]), [`${thumbprint}  key-2`])
  const kid = `\x1b[2K\r${'B'.repeat(43)}  key-2${' '.repeat(200)}${'C'.repeat(43)}  key-3`
  const [line = ''] = describePendingKeys([{ kid, thumbprint }])
  assert.ok(line.startsWith(`${thumbprint}  `))
  assert.ok(line.length <= thumbprint.length + 2 + 65)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not occur
  assert.doesNotMatch(line.slice(thumbprint.length + 2), /[\x00-\x1f]|\s{2}/)
})
