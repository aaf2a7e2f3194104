import { foldAscii } from '../filter/filter.ts'
import { isJsonObject, type JsonValue } from '../json/json-value.ts'
import { type BodySchema, memberNames } from './body-schema.ts'

/** A member of a body that was ignored, and the member that its name nearly is. */
export interface NearMiss {
  readonly given: string
  readonly meant: string
}

/** A short name differs from many others by one letter. */
const SHORT_NAME = 5
/** Further unknown members are not examined: a body may have thousands. */
const MAX_EXAMINED = 32
const MAX_NAME_LENGTH = 64

/** The unknown members of a body whose names are nearly one of `members`, without those that responses contain. */
export function findNearMisses(
  schema: BodySchema,
  body: JsonValue,
  { members, readOnly }: { readonly members: readonly string[]; readonly readOnly: readonly string[] },
): NearMiss[] {
  if (!isJsonObject(body)) return []
  const known = memberNames(schema)
  const others = Object.keys(body).filter((name) => name.length <= MAX_NAME_LENGTH && !known.has(foldAscii(name)))
  if (others.length === 0) return []
  const ignored = new Set(readOnly.map(foldAscii))
  const unknown = others.filter((name) => !ignored.has(foldAscii(name)))
  return unknown.slice(0, MAX_EXAMINED).flatMap((given) => {
    const meant = members.find((member) => isNear(foldAscii(given), foldAscii(member)))
    return meant === undefined ? [] : [{ given: visibleName(given), meant }]
  })
}

/** For the administrator who sent the member. */
export function nearMissText({ given, meant }: NearMiss): string {
  return `the member ${given} is unknown and was ignored: did you mean ${meant}?`
}

function isNear(given: string, member: string): boolean {
  const letters = given.replace(/[^a-z0-9]/g, '')
  return editDistance(letters, member) <= (member.length <= SHORT_NAME ? 1 : 2)
}

/** Names are shown in a header and on terminals. */
function visibleName(name: string): string {
  return name.replace(/[^\w.-]/g, '?')
}

/** The number of letters to insert, delete or replace. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...b].entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
