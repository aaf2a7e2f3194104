import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../app-error.ts'
import type { JsonValue } from '../json/json-value.ts'
import { scimTypeOf } from './scim-error.ts'
import {
  findIdentityKey,
  identityKeyOf,
  primaryEmail,
  readScimUser,
  type ScimUser,
  userOfIdentity,
} from './scim-user.ts'
import { applyScimUserChanges, readScimUserPatch } from './scim-user-patch.ts'

const USER: ScimUser = {
  userName: 'alice',
  externalId: null,
  displayName: 'Alice',
  name: { givenName: 'Alice', familyName: 'L' },
  emails: [
    { value: 'a@work', type: 'work', primary: true },
    { value: 'a@home', type: 'home' },
  ],
}

function patched(...operations: readonly JsonValue[]) {
  return applyScimUserChanges(USER, readScimUserPatch({ Operations: [...operations] }))
}

const emailsAfter = (...operations: readonly JsonValue[]) => patched(...operations).user.emails

test('V-17 operations set, replace and remove attributes, and leave others', () => {
  assert.deepEqual(patched({ op: 'add', path: 'nickName', value: 'x' }), { user: USER, active: undefined })
  assert.equal(patched({ op: 'Replace', path: 'userName', value: 'b' }).user.userName, 'b')
  assert.equal(patched({ op: 'add', path: 'externalId', value: '1' }).user.externalId, '1')
  assert.equal(patched({ op: 'remove', path: 'displayName', value: 'ignored' }).user.displayName, null)
  const name = patched({ op: 'replace', path: 'name.familyName', value: 'M' }, { op: 'remove', path: 'name.givenName' })
  assert.deepEqual(name.user.name, { familyName: 'M' })
  const whole = patched({ op: 'replace', path: 'name', value: { FormatteD: 'F', unknown: 'x' } })
  assert.deepEqual(whole.user.name, { ...USER.name, formatted: 'F' })
  for (const none of [
    { op: 'remove', path: 'name' },
    { op: 'replace', path: 'name', value: null },
  ]) {
    assert.deepEqual(patched(none).user.name, {})
  }
  assert.equal(
    patched({ op: 'replace', value: { active: 'False' } }, { op: 'add', path: 'active', value: true }).active,
    true,
  )
  const core = 'urn:ietf:params:scim:schemas:core:2.0:USER'
  const wholly = { op: 'replace', path: core, value: { displayName: 'W', active: [{ value: 'False' }] } }
  assert.deepEqual([patched(wholly).user.displayName, patched(wholly).active], ['W', false])
  assert.throws(() => patched({ op: 'remove', path: core }), /needs a path/)
  assert.throws(() => patched({ ...wholly, value: 'W' }), /needs an object/)
  const nested = { 'urn:ietf:params:scim:schemas:core:2.0:User': { displayName: 'N' }, active: false }
  assert.deepEqual(
    [patched({ op: 'add', value: nested }).user.displayName, patched({ op: 'add', value: nested }).active],
    ['N', false],
  )
})

test('V-17 operations on emails', () => {
  const [work, home] = USER.emails
  assert.deepEqual(emailsAfter({ op: 'remove', path: 'emails' }), [])
  assert.deepEqual(emailsAfter({ op: 'remove', path: 'emails[type eq "HOME"]' }), [work])
  assert.deepEqual(emailsAfter({ op: 'remove', path: 'emails[type ne "home"].value' }), [home])
  assert.deepEqual(emailsAfter({ op: 'replace', path: 'emails', value: 'b@x' }), [{ value: 'b@x' }])
  const other = { value: 'b@x', type: 'other', primary: true }
  assert.deepEqual(emailsAfter({ op: 'add', path: 'emails', value: [other, { value: 'a@home', type: 'home' }] }), [
    { ...work, primary: false },
    home,
    other,
  ])
  const replaced = emailsAfter({ op: 'replace', path: 'emails[type eq "home"]', value: { value: 'new@home' } })
  assert.deepEqual(replaced, [work, { type: 'home', value: 'new@home' }])
  const display = emailsAfter({ op: 'add', path: 'emails[primary eq true].display', value: 'Work' })
  assert.deepEqual(display, [{ ...work, display: 'Work' }, home])
  assert.deepEqual(emailsAfter({ op: 'remove', path: 'emails[primary eq "True"].primary' }), [
    { value: 'a@work', type: 'work' },
    home,
  ])
  const primary = emailsAfter({ op: 'replace', path: 'emails[type eq "home"].primary', value: 'True' })
  assert.deepEqual(primary, [
    { ...work, primary: false },
    { ...home, primary: true },
  ])
  const added = emailsAfter({ op: 'add', path: 'emails[type eq "other" and primary eq false].value', value: 'o@x' })
  assert.deepEqual(added, [work, home, { type: 'other', primary: false, value: 'o@x' }])
  assert.deepEqual(
    emailsAfter({ op: 'replace', path: 'emails.type', value: 'x' }).map(({ type }) => type),
    ['x', 'x'],
  )
  assert.deepEqual(emailsAfter({ op: 'replace', path: 'emails.nonsense', value: 'x' }), USER.emails)
  const selected = 'emails[(type eq "home" or not (type pr)) and value eq "a@home"].display'
  assert.deepEqual(emailsAfter({ op: 'add', path: selected, value: 'H' }), [work, { ...home, display: 'H' }])
  assert.throws(() => emailsAfter({ op: 'add', path: 'emails[type eq "x"].display', value: 'y' }), /selects no email/)
  const part = (name: string, value: JsonValue) => ({ op: 'add', path: `emails[type eq "x"].${name}`, value })
  assert.deepEqual(emailsAfter(part('primary', 'True'), part('display', 'X'), part('value', 'x@b')), [
    { ...work, primary: false },
    home,
    { type: 'x', primary: true, display: 'X', value: 'x@b' },
  ])
  assert.throws(() => emailsAfter(part('primary', true), part('display', 'X')), /selects no email/)
  assert.deepEqual(emailsAfter({ op: 'add', path: 'emails[type eq "x" and primary eq true].value', value: 'x@b' }), [
    { ...work, primary: false },
    home,
    { type: 'x', primary: true, value: 'x@b' },
  ])
  const emptied = emailsAfter({ op: 'replace', path: 'emails[type eq "home"]', value: { value: '' } })
  assert.deepEqual(emptied, [work])
  for (const path of ['emails[type co "x"].value', 'emails[a[b eq 1]].value', 'emails[not (type sw "x") or type pr]']) {
    assert.throws(() => emailsAfter({ op: 'add', path, value: 'y' }), /compares parts by eq and ne only/, path)
  }
})

test('V-17 texts that are only shown lose unsafe characters, which some scripts and emoji have', () => {
  const { user } = readScimUser({
    userName: 'a',
    displayName: '\u0639\u0644\u06cc\u200c\u0631\u0636\u0627 \u202e\u{1f469}\u200d\u{1f52c}',
    name: { givenName: 'x\u200dy', familyName: '\u200b' },
    emails: [{ value: 'a@b', type: 'wo\u200crk', display: 'A\u200d' }],
  })
  assert.equal(user.displayName, '\u0639\u0644\u06cc\u0631\u0636\u0627 \u{1f469}\u{1f52c}')
  assert.deepEqual(user.name, { givenName: 'xy' })
  assert.deepEqual(user.emails, [{ value: 'a@b', type: 'work', display: 'A' }])
  const set = (path: string, value: string) => patched({ op: 'replace', path, value }).user
  assert.equal(set('displayName', 'x\u200dy').displayName, 'xy')
  assert.equal(set('name.familyName', 'x\u200dy').name.familyName, 'xy')
  assert.equal(set('emails[type eq "home"].display', 'x\u200dy').emails[1]?.display, 'xy')
  assert.deepEqual(set('emails[not (type ne "oth\u200der")].value', 'o@b').emails.length, 3)
  const other = set('emails[type eq "oth\u200der" and value ne "x"].value', 'o@b').emails[2]
  assert.deepEqual(other, { type: 'other', value: 'o@b' })
  for (const path of ['userName', 'externalId', 'emails[type eq "home"].value']) {
    assert.throws(() => set(path, 'x\u200dy'), /zero-width/, path)
  }
})

test('V-15 the attribute that names the identity', () => {
  const by = (scimIdentityAttribute: 'userName' | 'externalId' | 'email') => ({ scimIdentityAttribute })
  assert.equal(identityKeyOf(USER, by('userName')), 'alice')
  assert.equal(findIdentityKey(USER, by('externalId')), null)
  assert.throws(() => identityKeyOf(USER, by('externalId')), /externalId is required/)
  assert.equal(identityKeyOf(USER, by('email')), 'a@work')
  assert.equal(primaryEmail({ emails: [{ value: 'first' }, { value: 'second' }] }), 'first')
  assert.equal(findIdentityKey({ ...USER, emails: [] }, by('email')), null)
  const identity = { name: 'n', externalId: 'e' }
  assert.equal(userOfIdentity(identity, by('userName')).userName, 'e')
  assert.equal(userOfIdentity({ ...identity, externalId: null }, by('userName')).userName, 'n')
  const external = userOfIdentity(identity, by('externalId'))
  assert.deepEqual([external.userName, external.externalId], ['n', 'e'])
  assert.deepEqual(userOfIdentity(identity, by('email')).emails, [{ value: 'e', primary: true }])
  assert.deepEqual(userOfIdentity({ ...identity, externalId: null }, by('email')).emails, [])
})

test('V-20 the body of a user is read in any case, and wrong types are refused', () => {
  const body = {
    USERNAME: 'a',
    Active: 'TRUE',
    Emails: { Value: 'x', primary: 'false', display: 'd', type: '' },
    name: { GivenName: 'G', familyName: '' },
  }
  assert.deepEqual(readScimUser(body), {
    user: {
      userName: 'a',
      externalId: null,
      displayName: null,
      name: { givenName: 'G' },
      emails: [{ value: 'x', display: 'd', primary: false }],
    },
    active: true,
  })
  assert.deepEqual(readScimUser({ userName: 'a', name: null, active: null }).active, undefined)
  for (const active of [['False'], [{ value: false }], { value: 'false' }]) {
    assert.equal(readScimUser({ userName: 'a', active }).active, false, JSON.stringify(active))
  }
  const emails = [{ value: null, type: 'work' }, { value: '', primary: true }, '', null, { value: 'x', type: 'home' }]
  assert.deepEqual(readScimUser({ userName: 'a', emails }).user.emails, [{ value: 'x', type: 'home' }])
  const wrong: JsonValue[] = [
    null,
    {},
    { userName: ' ' },
    { userName: 'a', emails: [{}] },
    { userName: 'a', emails: [5] },
    { userName: 'a', name: 'x' },
    { userName: 'a', active: 1 },
    { userName: 'a', active: [] },
    { userName: 'a', active: [false, false] },
    { userName: 'a', active: [[false]] },
    { userName: 'a\u200db' },
    { userName: 'a', externalId: 'x\u202ey' },
    { userName: 'a', emails: ['x\u200cy'] },
    { userName: 'a', displayName: `${'x'.repeat(1_024)}\u200d` },
    { userName: 'a', USERNAME: 'b' },
    { userName: 'a', displayName: 'x'.repeat(1_025) },
  ]
  for (const each of wrong) assert.throws(() => readScimUser(each), { name: 'AppError' }, JSON.stringify(each))
})

test('V-20 the operations of a PATCH that are not valid are refused with their keyword', () => {
  const wrong: [JsonValue, string][] = [
    [{}, 'invalidSyntax'],
    [{ Operations: ['x'] }, 'invalidSyntax'],
    [{ Operations: [{ op: 5, path: 'userName' }] }, 'invalidSyntax'],
    [{ Operations: [{ op: 'remove', path: '' }] }, 'noTarget'],
    [{ Operations: [{ op: 'add', path: {}, value: 'x' }] }, 'invalidPath'],
    [{ Operations: [{ op: 'add', path: null, value: [] }] }, 'invalidValue'],
    [{ Operations: Array.from({ length: 501 }, () => ({ op: 'remove', path: 'x' })) }, 'tooMany'],
  ]
  for (const [body, keyword] of wrong) {
    assert.throws(
      () => readScimUserPatch(body),
      (error) => error instanceof AppError && scimTypeOf(error) === keyword,
      JSON.stringify(body).slice(0, 100),
    )
  }
  assert.deepEqual(readScimUserPatch({ operations: { op: 'ADD', path: null, value: { displayName: 'x' } } }), [
    { kind: 'text', attribute: 'displayName', value: 'x' },
  ])
})

test('errors of other parts get the keyword of their code', () => {
  assert.equal(
    scimTypeOf(new AppError('COULD_NOT_VALIDATE', { field: 'name', reason: 'x', value: '' })),
    'invalidValue',
  )
  assert.equal(scimTypeOf(new AppError('NOT_FOUND', { message: 'x' })), undefined)
  assert.equal(scimTypeOf(new AppError('COULD_NOT_PARSE_BODY')), 'invalidSyntax')
})

test('V-20 emails are limited after each operation, so that none works on a long list', () => {
  const add = (from: number, count: number) => ({
    op: 'add',
    path: 'emails',
    value: Array.from({ length: count }, (_, index) => `${from + index}@b`),
  })
  const remove = { op: 'remove', path: 'emails[value ne "0@b"]' }
  assert.equal(emailsAfter({ op: 'remove', path: 'emails' }, add(0, 20), remove, add(1, 19)).length, 20)
  const refused = () => patched({ op: 'remove', path: 'emails' }, add(0, 20), add(20, 1), remove)
  assert.throws(refused, (error: AppError) => scimTypeOf(error) === 'tooMany')
})

test('V-20 a PATCH with many filters over long emails takes little time', () => {
  const emails = Array.from({ length: 20 }, (_, index) => ({ value: `${index}`, type: 'AB'.repeat(500) }))
  const changesWith = (filter: string) =>
    readScimUserPatch({
      Operations: Array.from({ length: 500 }, () => ({ op: 'replace', path: `emails[${filter}].display`, value: '' })),
    })
  const many = changesWith(Array.from({ length: 32 }, () => 'type eq "x"').join(' or '))
  const long = changesWith(`type eq "${'ab'.repeat(500)}"`)
  const start = process.cpuUsage()
  for (const changes of [many, long]) applyScimUserChanges({ ...USER, emails }, changes)
  const { user } = process.cpuUsage(start)
  assert.ok(user < 5_000_000, `${user} µs`)
})
