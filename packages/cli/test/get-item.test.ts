import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findByNameOrId } from '../src/resources/find-by-name-or-id.ts'
import { getItem } from '../src/resources/get-item.ts'
import { IDENTITIES } from '../src/resources/kinds.ts'
import { chooseSigner } from '../src/session/choose-signer.ts'

const BOB = { id: 'r4nd0m', name: 'bob' }
const MALLORY = { id: 'bob', name: 'mallory' }
const get = (items: readonly object[], nameOrId: string) =>
  getItem(IDENTITIES, { page: async () => ({ items, total: items.length }) } as never, nameOrId)

test('Q-27 a text that is the id of one item and the name of another is refused, and both are named', async () => {
  for (const items of [
    [BOB, MALLORY],
    [MALLORY, BOB],
  ]) {
    await assert.rejects(get(items, 'bob'), (error: Error & { exitCode?: number }) => {
      assert.equal(error.exitCode, 2)
      assert.ok(error.message.includes('mallory (bob)') && error.message.includes('bob (r4nd0m)'), error.message)
      return true
    })
    assert.throws(() => chooseSigner(items as never, 'bob'), /mallory \(bob\)/)
    assert.equal(findByNameOrId(items, 'mallory', 'identity'), MALLORY)
    assert.equal(findByNameOrId(items, 'r4nd0m', 'identity'), BOB)
  }
})

test('an item is found by its name or id, also when both are the same', async () => {
  assert.equal(await get([BOB], 'bob'), BOB)
  assert.equal(await get([MALLORY], 'bob'), MALLORY)
  const same = { id: 'same', name: 'same' }
  assert.equal(await get([same], 'same'), same)
  await assert.rejects(get([], 'bob'), { exitCode: 5 })
})
