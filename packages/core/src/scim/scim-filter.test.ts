import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../app-error.ts'
import { scimTypeOf } from './scim-error.ts'
import { parseScimFilter, parseScimPath } from './scim-filter.ts'

const compare = (attribute: string, operator: string, value: unknown) => ({
  kind: 'compare',
  attribute,
  operator,
  value,
})

/** The keyword with which `run` fails. */
function keywordOf(run: () => unknown): string | undefined {
  try {
    run()
  } catch (error) {
    assert.ok(error instanceof AppError)
    return scimTypeOf(error)
  }
  return undefined
}

test('V-19 a filter has the operators, the values and the precedence of RFC 7644', () => {
  assert.deepEqual(parseScimFilter('userName eq "a"'), compare('username', 'eq', 'a'))
  assert.deepEqual(parseScimFilter(' age GT -1.5 '), compare('age', 'gt', -1.5))
  assert.deepEqual(parseScimFilter('a eq true'), compare('a', 'eq', true))
  assert.deepEqual(parseScimFilter('a eq False'), compare('a', 'eq', false))
  assert.deepEqual(parseScimFilter('a eq null'), compare('a', 'eq', null))
  assert.deepEqual(parseScimFilter('title pr'), { kind: 'present', attribute: 'title' })
  const [a, b, c] = ['a', 'b', 'c'].map((name) => compare(name, 'eq', 1))
  const parsed = parseScimFilter('a eq 1 or b eq 1 and c eq 1')
  assert.deepEqual(parsed, { kind: 'or', terms: [a, { kind: 'and', terms: [b, c] }] })
  const grouped = parseScimFilter('(a eq 1 or b eq 1) and not (c eq 1)')
  const either = { kind: 'or', terms: [a, b] }
  assert.deepEqual(grouped, { kind: 'and', terms: [either, { kind: 'not', term: c }] })
  assert.deepEqual(parseScimFilter('not eq "x"'), compare('not', 'eq', 'x'), 'an attribute may be called so')
  assert.deepEqual(parseScimFilter('a eq "\\"\\u0041\\\\"'), compare('a', 'eq', '"A\\'))
})

test('V-19 a filter on values of an attribute, also in the form of Entra', () => {
  const work = compare('type', 'eq', 'work')
  assert.deepEqual(parseScimFilter('emails[type eq "work"]'), { kind: 'some', attribute: 'emails', term: work })
  const both = { kind: 'and', terms: [work, compare('value', 'eq', 'a@b')] }
  const ofEntra = parseScimFilter('emails[type eq "work"].value eq "a@b"')
  assert.deepEqual(ofEntra, { kind: 'some', attribute: 'emails', term: both })
  assert.deepEqual(parseScimFilter('emails.value eq "a@b"'), compare('emails.value', 'eq', 'a@b'))
})

test('V-19 names of the core schemas may be given in full, and those of others match nothing', () => {
  const full = 'urn:ietf:params:scim:schemas:core:2.0:User:name.familyName'
  assert.deepEqual(parseScimFilter(`${full} eq "x"`), compare('name.familyname', 'eq', 'x'))
  assert.deepEqual(parseScimPath(full), { attribute: 'name', part: 'familyname' })
  const extension = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department'
  assert.deepEqual(parseScimPath(extension), { attribute: extension.toLowerCase() })
})

test('V-19 paths of operations', () => {
  assert.deepEqual(parseScimPath('members'), { attribute: 'members' })
  const filter = compare('value', 'eq', 'x')
  assert.deepEqual(parseScimPath('members[value eq "x"]'), { attribute: 'members', filter })
  assert.deepEqual(parseScimPath('emails[value eq "x"].display'), { attribute: 'emails', filter, part: 'display' })
  for (const path of ['', 'a b', 'a[', 'a[x]', 'a[b eq 1', '[b eq 1]', 'a[b eq 1]x', '"a"', 'x'.repeat(2_100)]) {
    assert.equal(
      keywordOf(() => parseScimPath(path)),
      'invalidPath',
      path,
    )
  }
})

test('V-20 a filter that is not valid, too long, too deep or has too many conditions is refused', () => {
  const bad = [
    '',
    'a',
    'a eq',
    'a eq b',
    'a xx 1',
    'a eq "',
    'a eq "\\x"',
    'a eq 1 b',
    '(a pr',
    'a pr)',
    'not (a pr',
    '"a" eq 1',
    'a eq (',
    'and',
  ]
  const nested = (depth: number) => `${'('.repeat(depth)}a pr${')'.repeat(depth)}`
  const wide = (count: number) => Array.from({ length: count }, () => 'a pr').join(' or ')
  for (const filter of [...bad, nested(9), wide(33), `a eq "${'x'.repeat(2_048)}"`]) {
    assert.equal(
      keywordOf(() => parseScimFilter(filter)),
      'invalidFilter',
      filter,
    )
  }
  assert.equal(
    keywordOf(() => parseScimFilter(nested(8))),
    undefined,
  )
  assert.equal(
    keywordOf(() => parseScimFilter(wide(32))),
    undefined,
  )
  const began = performance.now()
  assert.equal(
    keywordOf(() => parseScimFilter(`a eq "${'\\'.repeat(2_000)}`)),
    'invalidFilter',
  )
  assert.ok(performance.now() - began < 1_000)
})
