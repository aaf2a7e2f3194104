import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limitPoolThreads, poolThreads } from '../../src/platform/thread-pool.ts'

function threadsOn(cores: number, set?: string): number {
  const env: Record<string, string | undefined> = { UV_THREADPOOL_SIZE: set }
  limitPoolThreads(env, cores)
  return poolThreads(env)
}

test('there are as many threads as cores, at least two and at most the default', () => {
  assert.deepEqual(
    [1, 2, 3, 4, 64].map((cores) => threadsOn(cores)),
    [2, 2, 3, 4, 4],
  )
})

test('a value set by the operator is kept', () => {
  assert.deepEqual([threadsOn(2, '8'), threadsOn(64, '1')], [8, 1])
})

test('an unset value means the default, and an invalid one means one thread', () => {
  assert.equal(poolThreads({}), 4)
  for (const text of ['', 'x', '0', '-1']) assert.equal(poolThreads({ UV_THREADPOOL_SIZE: text }), 1, text)
  assert.equal(threadsOn(2, ''), 2, 'an empty value counts as unset')
})
