type TagValue = string | number | boolean | null
export type Tags = Readonly<Record<string, TagValue>>

/** A tag while it is being changed. What was not text stays what it was unless its words change. */
export interface TagRow {
  readonly name: string
  readonly value: string
  readonly was?: TagValue
}

const MAX_TAGS = 100
const MAX_TAG_NAME = 128
const MAX_TAG_VALUE = 2048

/** The tags of a thing as a form has them. */
export function toTagRows(tags: Readonly<Record<string, unknown>> = {}): TagRow[] {
  return Object.entries(tags as Tags).map(([name, value]) => ({ name, value: wordsOf(value), was: value }))
}

/** What is sent of them. */
export function toTags(rows: readonly TagRow[]): Tags {
  const entries = rows.map(({ name, value, was }) => [name.trim(), isSame(value, was) ? was : value])
  return Object.fromEntries(entries) as Tags
}

/** What the server would refuse, as far as it can be told without it. */
export function checkTags(rows: readonly TagRow[]): string | null {
  const names = rows.map(({ name }) => name.trim())
  if (rows.length > MAX_TAGS) return `At most ${MAX_TAGS} are allowed`
  if (names.includes('')) return 'Each needs a name'
  if (names.some((name) => name.length > MAX_TAG_NAME)) return `A name may have ${MAX_TAG_NAME} characters`
  if (rows.some(({ value }) => value.length > MAX_TAG_VALUE)) return `A value may have ${MAX_TAG_VALUE} characters`
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  return twice === undefined ? null : `“${twice}” is there twice`
}

const wordsOf = (value: TagValue): string => (value === null ? '' : String(value))
const isSame = (value: string, was: TagValue | undefined): was is TagValue =>
  was !== undefined && wordsOf(was) === value
