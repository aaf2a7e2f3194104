import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { CliError } from '../src/cli-error.ts'
import { readLines } from '../src/files/read-lines.ts'

function makeFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-lines-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test('a file is read line by line, as if its text were divided at once', (t) => {
  const path = join(makeFolder(t), 'file')
  const read = (text: string) => {
    writeFileSync(path, text)
    return [...readLines(path)]
  }
  const long = 'ü'.repeat(700_001)
  // Characters of two bytes, and lines, that the parts of a long file divide.
  for (const text of ['', 'a', 'a\n', 'a\n\nb', `x${long}\n${long}\ny`, `${'line\n'.repeat(300_000)}end`]) {
    const lines = read(text)
    assert.equal(lines.length, text.split('\n').length)
    assert.ok(lines.join('\n') === text, text.slice(0, 20))
  }
})

test('a missing file and a folder are errors that say so', (t) => {
  const folder = makeFolder(t)
  for (const [path, message] of [
    [join(folder, 'missing'), /does not exist/],
    [folder, /is a folder/],
  ] as const) {
    assert.throws(
      () => [...readLines(path)],
      (error) => error instanceof CliError && message.test(error.message),
    )
  }
})
