type TagValue = string | number | boolean | null
export type Tags = Readonly<Record<string, TagValue>>

/** A tag in a form. A value that was not text keeps its type unless its text is changed. */
export interface TagRow {
  readonly name: string
  readonly value: string
  readonly original?: TagValue
}

const MAX_TAGS = 100
const MAX_TAG_NAME = 128
const MAX_TAG_VALUE = 2048

export function toTagRows(tags: Readonly<Record<string, unknown>> = {}): TagRow[] {
  return Object.entries(tags as Tags).map(([name, value]) => ({ name, value: toText(value), original: value }))
}

export function toTags(rows: readonly TagRow[]): Tags {
  const entries = rows.map(({ name, value, original }) => [name.trim(), isSame(value, original) ? original : value])
  return Object.fromEntries(entries) as Tags
}

/** Applies the server's limits. Returns an error text, or null. */
export function checkTags(rows: readonly TagRow[]): string | null {
  const names = rows.map(({ name }) => name.trim())
  if (rows.length > MAX_TAGS) return `At most ${MAX_TAGS} are allowed`
  if (names.includes('')) return 'Each tag needs a name'
  if (names.some((name) => name.length > MAX_TAG_NAME)) return `A name may have at most ${MAX_TAG_NAME} characters`
  if (rows.some(({ value }) => value.length > MAX_TAG_VALUE))
    return `A value may have at most ${MAX_TAG_VALUE} characters`
  const duplicate = names.find((name, at) => names.indexOf(name) !== at)
  return duplicate === undefined ? null : `“${duplicate}” appears twice`
}

const toText = (value: TagValue): string => (value === null ? '' : String(value))
const isSame = (value: string, original: TagValue | undefined): original is TagValue =>
  original !== undefined && toText(original) === value
