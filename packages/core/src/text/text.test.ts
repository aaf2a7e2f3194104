import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../app-error.ts'
import { checkPlainText, hasUnsafeCharacter } from './plain-text.ts'
import { isSafeLink } from './safe-link.ts'

test('L-04 K-10 invisible and bidirectional characters are unsafe; letters of every script are not', () => {
  const points = [
    0x00, 0x0a, 0x1b, 0x7f, 0x85, 0x9f, 0x61c, 0x200b, 0x200d, 0x200f, 0x2028, 0x202e, 0x2066, 0xfeff, 0xfffb, 0xd800,
  ]
  for (const point of points) {
    assert.ok(hasUnsafeCharacter(`a${String.fromCharCode(point)}b`), point.toString(16))
  }
  for (const text of [
    '',
    'a b',
    'café',
    'cafe\u0301',
    '\u212a',
    'ıİ',
    'ａ',
    '日本',
    '😀',
    '\u00a0',
    '<script>',
    '=cmd()',
  ]) {
    assert.ok(!hasUnsafeCharacter(text), text)
  }
})

test('L-04 the error names the field and does not repeat the text', () => {
  assert.throws(
    () => checkPlainText('name', 'evil\u202etext'),
    (error) => error instanceof AppError && error.code === 'COULD_NOT_VALIDATE' && !error.message.includes('evil'),
  )
  checkPlainText('name', 'good text')
})

test('Q-03 a safe link is https, or http on a loopback host, and needs no repair by the URL parser', () => {
  for (const link of [
    'https://a.example',
    'https://a.example:8443/x?y=z#w',
    'HTTPS://A.example/',
    'http://localhost:1/',
    'http://127.0.0.1',
    'http://[::1]:8080/',
  ]) {
    assert.ok(isSafeLink(link), link)
  }
  for (const link of [
    '',
    'a.example',
    '//a.example',
    'http://a.example',
    'http://localhost.evil.example',
    'http://127.0.0.1.evil.example',
    'javascript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'ftp://a.example',
    'https://u:p@a.example',
    'https://u@a.example',
    'https:a.example',
    'https:/a.example',
    'https:///a.example',
    'https:\\\\a.example',
    'https://a.example\\@b.example',
    ' https://a.example',
    'https://a.example/ x',
    'ht\ntps://a.example',
    'https://a\u200b.example',
    'https://a.example/\u0000',
    'https://',
  ]) {
    assert.ok(!isSafeLink(link), link)
  }
})
