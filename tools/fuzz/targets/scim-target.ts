import assert from 'node:assert/strict'
import {
  AppError,
  applyScimUserChanges,
  JsonError,
  type JsonValue,
  parseScimFilter,
  parseScimPath,
  readJson,
  readScimGroup,
  readScimGroupPatch,
  readScimSearch,
  readScimUser,
  readScimUserPatch,
  SCIM_LIMITS,
  type ScimUser,
} from '@countersign/core'
import type { FuzzTarget } from '../fuzz-target.ts'
import { createMutator } from '../mutate.ts'

const USER: ScimUser = {
  userName: 'alice',
  externalId: null,
  displayName: null,
  name: {},
  emails: [{ value: 'a@b', type: 'work', primary: true }],
}

/** The first letter says how the rest is read. */
const READERS: Readonly<Record<string, (text: string) => void>> = {
  f: (text) => void parseScimFilter(text),
  p: (text) => void parseScimPath(text),
  u: (text) => assert.ok(readScimUser(json(text)).user.userName.length > 0),
  g: (text) => assert.ok(readScimGroup(json(text)).group.displayName.length > 0),
  s: (text) => {
    const { count, startIndex } = readScimSearch(json(text))
    assert.ok(count >= 0 && count <= SCIM_LIMITS.maxPage && startIndex >= 1)
  },
  c: (text) => {
    const { user } = applyScimUserChanges(USER, readScimUserPatch(json(text)))
    assert.ok(user.userName.length > 0)
    assert.ok(user.emails.length <= SCIM_LIMITS.maxEmails)
    assert.ok(user.emails.every(({ value }) => value.length > 0))
    assert.ok(user.emails.filter(({ primary }) => primary).length <= user.emails.length)
  },
  m: (text) => {
    for (const change of readScimGroupPatch(json(text))) {
      if (change.kind === 'members') assert.ok(change.ids.length <= SCIM_LIMITS.maxMembers)
    }
  },
}

const json = (text: string): JsonValue => readJson(Buffer.from(text), { maxDepth: 64, maxMembers: 10_000 })

const CORPUS = [
  'fuserName eq "a@b" and not (emails[type eq "work"].value co "x" or active eq true)',
  'furn:ietf:params:scim:schemas:core:2.0:User:name.familyName pr',
  'pemails[type eq "work" and primary eq true].value',
  'pmembers[value eq "2819c223"]',
  'u{"schemas":["x"],"userName":"a","active":"True","name":{"givenName":"A"},"emails":[{"value":"a@b","primary":true}]}',
  'g{"displayName":"g","externalId":"1","members":[{"value":"a","display":"A"},{"value":"b"}]}',
  's{"schemas":["urn:ietf:params:scim:api:messages:2.0:SearchRequest"],"filter":"userName pr","count":10,"attributes":["name.familyName"]}',
  'c{"Operations":[{"op":"Replace","path":"emails[type eq \\"work\\"].value","value":"x"},{"op":"add","value":{"name.givenName":"B","active":"False"}}]}',
  'm{"Operations":[{"op":"Remove","path":"members[value eq \\"a\\"]"},{"op":"add","path":"members","value":[{"value":"b"}]}]}',
].map((text) => Buffer.from(text))

const WORDS = [
  ...[
    'eq ',
    'ne ',
    'co ',
    'sw ',
    'ew ',
    'pr',
    'gt ',
    'le ',
    'and ',
    'or ',
    'not ',
    '(',
    ')',
    '[',
    ']',
    '].',
    '"',
    '\\"',
  ],
  ...['true', 'null', '-1.5', 'emails', 'members', 'name.', 'urn:ietf:params:scim:schemas:core:2.0:User:', 'urn:x:'],
  ...['"op":', '"path":', '"value":', '"Operations":', '"remove"', '"replace"', '{}', '[]', '__proto__', '\u0000'],
]

/** The bodies, filters and paths of SCIM. What is accepted is within the limits. */
export const scimTarget: FuzzTarget = {
  name: 'scim',
  createInputs: (random) => createMutator(random, { corpus: CORPUS, dictionary: WORDS, maxLength: 4096 }),
  accepts: (input) => {
    const text = input.toString()
    const read = READERS[text.slice(0, 1)]
    if (!read) return false
    try {
      read(text.slice(1))
      return true
    } catch (error) {
      if (error instanceof AppError || error instanceof JsonError) return false
      throw error
    }
  },
}
