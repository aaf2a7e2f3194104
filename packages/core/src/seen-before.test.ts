import assert from 'node:assert/strict'
import { test } from 'node:test'
import { secretDigest } from './secret.ts'
import { SeenBefore } from './seen-before.ts'

const digests = Array.from({ length: 5_000 }, (_, number) => secretDigest(`${number}`))

test('tells whether something came before', () => {
  const seen = new SeenBefore()
  assert.deepEqual(
    digests.filter((digest) => seen.note(digest)),
    [],
  )
  const known = digests.filter((digest) => seen.note(digest))
  // Some have taken the place of others: of 5,000 in 65,536 places about 190.
  assert.ok(known.length > 4_500 && known.length < 5_000, `${known.length}`)
})

test('of digests that begin alike, each is another; only the last letter is not looked at', () => {
  const seen = new SeenBefore()
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
