import assert from 'node:assert/strict'
import { test } from 'node:test'
import { claimTextError } from './claim-text.ts'

test('B-07 K-13 accepts usable text; refuses control characters and noncharacters', () => {
  for (const text of [
    'a',
    ' a ',
    'álîçé',
    '😀',
    '../x',
    '<script>',
    "'; --",
    '=cmd()',
    '\u00a0x',
    '\ufffd',
    'x'.repeat(10),
  ])
    assert.equal(claimTextError(text, 10), undefined, text)
  for (const text of [
    '',
    ' ',
    '\u3000',
    '\n',
    'a\0',
    'a\r\nb',
    '\u001b[1m',
    '\u007f',
    '\u0080',
    '\u009f',
    '\ufffe',
    '\uffff',
    '\ufdd0',
    '\ufdef',
    '\u{10ffff}',
    'x'.repeat(11),
  ]) {
    assert.equal(typeof claimTextError(text, 10), 'string', JSON.stringify(text))
  }
})
