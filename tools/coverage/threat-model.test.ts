import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { root } from '../paths.ts'
import { loadRows } from './rows.ts'

const page = readFileSync(join(root, 'docs', 'threat-model.md'), 'utf8')
const threats = page
  .split('\n')
  .filter((line) => /^\| (spoofing|tampering|repudiation|disclosure|denial|elevation) /.test(line))

/** `A-01–21 B-04` as single ids; a range names the rows that there are between its ends, which must be rows themselves. */
function readRange(text: string, known: ReadonlySet<string>): string[] {
  return text.split(' ').flatMap((word) => {
    const [, letter = '', from = '', to = ''] = /^([A-Z]-)(\d\d)(?:–(\d\d))?$/.exec(word) ?? assert.fail(word)
    const ends = [from, to || from].map((number) => letter + number)
    for (const end of ends) assert.ok(known.has(end), `${end} is no row`)
    return [...known].filter((id) => id.startsWith(letter) && id >= (ends[0] ?? '') && id <= (ends[1] ?? ''))
  })
}

test('every threat of the threat model names rows, and files of tests that are there and hold some of them', () => {
  const known = new Set(loadRows().map(({ id }) => id))
  assert.ok(threats.length > 50)
  for (const line of threats) {
    const [, , threat, against, rows = '', tests = ''] = line.split('|').map((cell) => cell.trim())
    assert.ok(threat && against, line)
    const ids = readRange(rows, known)
    assert.ok(ids.length > 0, line)
    const files = [...tests.matchAll(/\]\(\.\.\/([^)]+)\)/g)].map(([, file = '']) => file)
    assert.ok(files.length > 0, `no file of tests: ${line}`)
    for (const file of files) {
      assert.match(file, /\.test\.ts$/)
      assert.ok(existsSync(join(root, file)), `${file} is gone`)
      const text = readFileSync(join(root, file), 'utf8')
      assert.ok(
        ids.some((id) => text.includes(id)),
        `${file} holds none of ${rows}`,
      )
    }
  }
})

test('every attack and fault of the catalogue belongs to a threat', () => {
  const known = new Set(loadRows().map(({ id }) => id))
  const named = new Set(threats.flatMap((line) => readRange(line.split('|')[4]?.trim() ?? '', known)))
  const attacks = [...known].filter((id) => /^[A-T]-\d\d$/.test(id))
  const left = attacks.filter((id) => !named.has(id))
  assert.deepEqual(left, [])
})
