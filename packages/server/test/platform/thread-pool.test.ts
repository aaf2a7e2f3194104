import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limitPoolThreads, poolThreads } from '../../src/platform/thread-pool.ts'

function threadsOn(cores: number, set?: string): number {
  const env: Record<string, string | undefined> = { UV_THREADPOOL_SIZE: set }
  limitPoolThreads(env, cores)
  return poolThreads(env)
}

test('there are as many threads as cores, two at least and no more than usual', () => {
  assert.deepEqual(
    [1, 2, 3, 4, 64].map((cores) => threadsOn(cores)),
    [2, 2, 3, 4, 4],
  )
})

test('what the operator has set stays', () => {
  assert.deepEqual([threadsOn(2, '8'), threadsOn(64, '1')], [8, 1])
})

test('nothing set is as many as usual, and what is no number is one', () => {
  assert.equal(poolThreads({}), 4)
  for (const text of ['', 'x', '0', '-1']) assert.equal(poolThreads({ UV_THREADPOOL_SIZE: text }), 1, text)
  assert.equal(threadsOn(2, ''), 2, 'an empty one is as good as none')
})
