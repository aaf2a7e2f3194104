import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../app-error.ts'
import { NO_PARAMETERS, parseParameters } from './parse-parameters.ts'

test('parameters are decoded, the first of a name counts, and all can be read', () => {
  const form = parseParameters('a=1&b=x+y%26&&c&a=2', 'form')
  assert.deepEqual([form.get('a'), form.get('b'), form.get('c'), form.get('d')], ['1', 'x y&', '', undefined])
  assert.deepEqual([form.all('a'), form.all('b'), form.all('d')], [['1', '2'], ['x y&'], []])
  assert.equal(NO_PARAMETERS.size, 0)
})

test('a bad encoding, a null character and a name of a prototype are refused', () => {
  for (const text of ['a=%', 'a=%ff', 'a=%00', '__proto__=1', 'constructor[x]=1']) {
    assert.throws(() => parseParameters(text, 'form'), AppError, text)
  }
})
