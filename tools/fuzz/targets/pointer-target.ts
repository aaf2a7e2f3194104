import assert from 'node:assert/strict'
import { isJsonObject, type JsonObject, parseSelector, selectClaim } from '@countersign/core'
import type { FuzzTarget } from '../fuzz-target.ts'
import { createMutator } from '../mutate.ts'

/** Has a prototype, so that a selector that reads inherited properties is detected. */
const CLAIMS: JsonObject = {
  sub: 'alice',
  '': { '': 'empty' },
  'https://acme.example/uid': 'u',
  'a/b': { 'm~n': ['x', 'y', ['z']] },
  emails: ['a@example', 'b@example'],
  realm_access: { roles: ['r1', 'r2'], deep: { deeper: { deepest: null } } },
}

const SELECTORS = [
  'sub',
  '/sub',
  '/realm_access/roles/0',
  '/a~1b/m~0n/2/0',
  'https://acme.example/uid',
  '/emails/1',
  '//',
  '/realm_access/deep/deeper/deepest',
  '/https:~1~1acme.example~1uid',
].map((text) => Buffer.from(text))
const WORDS = [
  '/',
  '//',
  '~',
  '~0',
  '~1',
  '~01',
  '~2',
  '0',
  '1',
  '-',
  '-1',
  '00',
  '1e0',
  '0x1',
  ' 1',
  '4294967296',
  'length',
  '__proto__',
  '/__proto__',
  '/constructor',
  '/constructor/prototype',
  'toString',
  '/hasOwnProperty',
  '/emails/length',
  '\u0000',
]

/** Every value that a selector may return. */
const REACHABLE: ReadonlySet<unknown> = new Set(collect(CLAIMS))

/** Claim selectors. They must return only own values of the claims. */
export const pointerTarget: FuzzTarget = {
  name: 'pointer',
  createInputs: (random) => {
    const next = createMutator(random, { corpus: SELECTORS, dictionary: WORDS, maxLength: 600 })
    return () => next().toString(random.onceIn(8) ? 'utf16le' : 'utf8')
  },
  accepts: (input) => {
    const reading = parseSelector(input.toString())
    if (!reading.ok) return false
    const value = selectClaim(reading.selector, CLAIMS)
    assert.ok(value === undefined || REACHABLE.has(value))
    return value !== undefined
  },
}

function collect(value: JsonObject[string]): unknown[] {
  const inside = Array.isArray(value) ? value : isJsonObject(value) ? Object.values(value) : []
  return [value, ...inside.flatMap(collect)]
}
