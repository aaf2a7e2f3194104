import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mintKey, mintKeySet } from '@countersign/testkit'
import { AppError } from '../app-error.ts'
import { readGivenKeySet } from './given-key-set.ts'

const { jwk, privateKey, kid } = mintKey('P-256')
const secret = privateKey.export({ format: 'jwk' })

test('D62 a given key set needs a usable key and has no secret', () => {
  const read = (...entries: readonly object[]) => readGivenKeySet('jwks', mintKeySet(...(entries as never[])) as never)
  assert.deepEqual([...read(jwk, { kty: 'RSA', kid: 'broken' }).keys.keys()], [kid])
  const refused: readonly [RegExp, readonly object[]][] = [
    [/private or symmetric key/, [jwk, { ...secret, kid: 'private' }]],
    [/private or symmetric key/, [jwk, { kty: 'oct', kid: 'o', k: 'AAAA' }]],
    [/no usable key: key 1 \(kid "broken"\)/, [{ kty: 'RSA', kid: 'broken' }]],
    [/no usable key: key 1.*encryption/, [{ ...jwk, use: 'enc' }]],
    [/no usable key: it has no key for signatures/, []],
    [/longer than/, [{ ...jwk, x: 'a'.repeat(70_000) }]],
    [/more than 100 keys/, Array.from({ length: 101 }, () => jwk)],
  ]
  for (const [reason, entries] of refused) {
    assert.throws(
      () => read(...entries),
      (error) =>
        error instanceof AppError &&
        error.code === 'COULD_NOT_VALIDATE' &&
        reason.test(error.message) &&
        !error.message.includes(String(secret.d)),
      String(reason),
    )
  }
})
