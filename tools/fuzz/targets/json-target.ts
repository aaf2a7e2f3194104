import assert from 'node:assert/strict'
import { JsonError, readJson } from '@countersign/core'
import type { FuzzTarget } from '../fuzz-target.ts'
import { createMutator } from '../mutate.ts'

const LIMITS = { maxDepth: 32, maxMembers: 1000 }

const JSON_CORPUS = [
  '{"iss":"https://idp.example/a","aud":["api://x","b"],"exp":1790000000,"n":-0.5e-3,"t":true,"f":false,"z":null}',
  '[1,0,-1,1.25,1e3,1E-3,9007199254740991,[],{},[[[]]],{"a":{"b":{"c":[]}}}]',
  '{"s":"a\\"b\\\\c\\/d\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00\u00e9\u{1f600}","":"","__proto__":{"constructor":{"prototype":1}}}',
  ' \t\r\n"text" ',
  '12345',
].map((text) => Buffer.from(text))

export const JSON_WORDS = [
  '"',
  '\\',
  '\\u',
  '\\ud800',
  '\\udc00',
  '\\u0000',
  '{',
  '}',
  '[',
  ']',
  ':',
  ',',
  '[[[[[[[[',
  '{"a":',
  '}}}}',
  'true',
  'false',
  'null',
  'NaN',
  'Infinity',
  '-',
  '-0',
  '00',
  '1e309',
  '1e-400',
  '9007199254740993',
  '.5',
  '5.',
  'e',
  '"__proto__":',
  '"constructor":{"prototype":1}',
  '"a":1,"a":2',
  '\u0000',
  '\u2028',
  '\ufeff',
  '//',
  '/**/',
  ' ',
  '\n',
]

/** The JSON parser. `JSON.parse` must return the same value for an accepted input. */
export const jsonTarget: FuzzTarget = {
  name: 'json',
  createInputs: (random) => {
    const next = createMutator(random, { corpus: JSON_CORPUS, dictionary: JSON_WORDS, maxLength: 16 * 1024 })
    return () => (random.onceIn(4) ? next().toString(random.onceIn(4) ? 'utf16le' : 'utf8') : next())
  },
  accepts: (input) => {
    try {
      const value = readJson(input, LIMITS)
      assert.equal(JSON.stringify(value), JSON.stringify(JSON.parse(input.toString())))
      return true
    } catch (error) {
      if (error instanceof JsonError) return false
      throw error
    }
  },
}
