import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { globMatcher, literalPrefix } from './glob.ts'

test('D14 a pattern matches whole texts: * is any run of characters, ? is one', () => {
  const rows: readonly [pattern: string, matching: readonly string[], others: readonly string[]][] = [
    ['repo:acme/*', ['repo:acme/app', 'repo:acme/'], ['repo:acme', 'repo:acme-evil/app', 'xrepo:acme/app', '']],
    ['*:main', ['a:main', ':main', ':main:main'], ['main', 'a:main ', 'a:Main']],
    ['a?c', ['abc', 'a?c', 'a*c', 'a😀c'], ['ac', 'abbc', 'ABC']],
    ['*', ['', 'anything'], []],
    ['?*', ['a', 'ab'], ['']],
    ['a*b*c', ['abc', 'a-b-c', 'abbcc'], ['acb', 'ab', 'bc']],
    ['[a-z].(x)+\\d^$', ['[a-z].(x)+\\d^$'], ['bx1', 'a.x1']],
    ['', [''], ['a']],
  ]
  for (const [pattern, matching, others] of rows) {
    const matches = globMatcher(pattern)
    for (const text of matching) assert.equal(matches(text), true, `${pattern} ${text}`)
    for (const text of others) assert.equal(matches(text), false, `${pattern} ${text}`)
  }
})

test('D14 patterns match like the equivalent regular expression', () => {
  const patterns = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?'), maxLength: 8 })
  const texts = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 10 })
  fc.assert(
    fc.property(patterns, texts, (pattern, text) => {
      const expected = new RegExp(`^${pattern.replaceAll('*', '.*').replaceAll('?', '.')}$`).test(text)
      assert.equal(globMatcher(pattern)(text), expected)
    }),
  )
})

test('D14 D66 the worst pattern for a long text takes linear time, and texts over 1,024 characters match none', () => {
  const matches = globMatcher(`${'*a'.repeat(255)}*b`)
  const started = performance.now()
  for (let times = 0; times < 10; times++) assert.equal(matches('a'.repeat(1_024)), false)
  assert.ok(performance.now() - started < 500)
  assert.deepEqual(
    [1_024, 1_025].map((length) => globMatcher('*')('a'.repeat(length))),
    [true, false],
  )
})

test('F-14 a pattern that no text is compared with costs little', () => {
  const pattern = 'ab?*'.repeat(125)
  const measure = (use: (matches: (text: string) => boolean) => unknown) => {
    const started = performance.now()
    for (let times = 0; times < 1_000; times++) use(globMatcher(pattern))
    return performance.now() - started
  }
  const [compared, created] = [measure((matches) => matches('a')), measure(() => undefined)]
  assert.ok(created < compared / 10, `${created} ms, and ${compared} ms when they are used`)
})

test('D14 the text before the first wildcard begins every match', () => {
  assert.deepEqual(['acme/*', 'a?b*', '*', 'acme'].map(literalPrefix), ['acme/', 'a', '', 'acme'])
})
