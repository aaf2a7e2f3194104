import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { root } from '../paths.ts'
import { loadRequirements } from './requirements.ts'

const page = readFileSync(join(root, 'docs', 'threat-model.md'), 'utf8')
const threats = page
  .split('\n')
  .filter((line) => /^\| (spoofing|tampering|repudiation|disclosure|denial|elevation) /.test(line))

/** Reads `A-01–21 B-04 D54` as single ids. A range stands for the known ids between its ends, both of which must be known. */
function readRange(text: string, known: ReadonlySet<string>): string[] {
  return text.split(' ').flatMap((word) => {
    const [, letter = '', from = '', to = ''] = /^([A-Z]-|D)(\d\d)(?:–(\d\d))?$/.exec(word) ?? assert.fail(word)
    const ends = [from, to || from].map((number) => letter + number)
    for (const end of ends) assert.ok(known.has(end), `${end} is not in docs/requirements`)
    return [...known].filter((id) => id.startsWith(letter) && id >= (ends[0] ?? '') && id <= (ends[1] ?? ''))
  })
}

test('every threat of the threat model names requirements, and test files that hold some of them', () => {
  const known = new Set(loadRequirements().map(({ id }) => id))
  assert.ok(threats.length > 50)
  for (const line of threats) {
    const [, , threat, against, ranges = '', tests = ''] = line.split('|').map((cell) => cell.trim())
    assert.ok(threat && against, line)
    const ids = readRange(ranges, known)
    assert.ok(ids.length > 0, line)
    const files = [...tests.matchAll(/\]\(\.\.\/([^)]+)\)/g)].map(([, file = '']) => file)
    assert.ok(files.length > 0, `no test file: ${line}`)
    for (const file of files) {
      assert.match(file, /\.test\.ts$/)
      assert.ok(existsSync(join(root, file)), `${file} does not exist`)
      const text = readFileSync(join(root, file), 'utf8')
      assert.ok(
        ids.some((id) => text.includes(id)),
        `${file} names none of ${ranges}`,
      )
    }
  }
})

test('every attack and fault of the catalogue belongs to a threat', () => {
  const known = new Set(loadRequirements().map(({ id }) => id))
  const named = new Set(threats.flatMap((line) => readRange(line.split('|')[4]?.trim() ?? '', known)))
  const attacks = [...known].filter((id) => /^[A-T]-\d\d$/.test(id))
  const left = attacks.filter((id) => !named.has(id))
  assert.deepEqual(left, [])
})
