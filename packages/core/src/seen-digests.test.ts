import assert from 'node:assert/strict'
import { test } from 'node:test'
import { secretDigest } from './secret.ts'
import { SeenDigests } from './seen-digests.ts'

const digests = Array.from({ length: 5_000 }, (_, number) => secretDigest(`${number}`))

test('returns whether a digest was recorded before', () => {
  const seen = new SeenDigests()
  assert.deepEqual(
    digests.filter((digest) => seen.note(digest)),
    [],
  )
  const known = digests.filter((digest) => seen.note(digest))
  // Some replace others: about 190 of 5,000 in 65,536 slots.
  assert.ok(known.length > 4_500 && known.length < 5_000, `${known.length}`)
})

test('digests with a common prefix are distinguished; only the last character is ignored', () => {
  const seen = new SeenDigests()
  const [digest = ''] = digests
  assert.equal(seen.note(digest), false)
  assert.equal(seen.note(digest), true)
  assert.equal(seen.note(`${digest.slice(0, -1)}-`), true)
  for (let at = digest.length - 9; at < digest.length - 1; at += 1) {
    const other = digest.slice(0, at) + (digest[at] === 'A' ? 'B' : 'A') + digest.slice(at + 1)
    assert.equal(seen.note(other), false, `letter ${at}`)
    assert.equal(seen.note(digest), false)
  }
})
