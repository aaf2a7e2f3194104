import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.ts'

/** The path of a value in the claims. A literal name is a path of one segment. */
export interface Selector {
  readonly text: string
  readonly segments: readonly string[]
}

export type SelectorReading =
  | { readonly ok: true; readonly selector: Selector }
  | { readonly ok: false; readonly reason: string }

const MAX_LENGTH = 512
const MAX_SEGMENTS = 16

/**
 * Parses a selector. A leading `/` means an RFC 6901 JSON pointer. Anything else is the literal name of a root claim, so that
 * `https://acme.example/uid` selects the claim of that name. Returns a reason when the text is not a selector.
 */
export function parseSelector(text: string): SelectorReading {
  if (text === '') return refused('must not be empty')
  if (text.length > MAX_LENGTH) return refused(`must not be longer than ${MAX_LENGTH} characters`)
  if (text.startsWith('~')) return refused('must not start with "~"; a claim whose name does is selected by "/~0…"')
  if (!text.startsWith('/')) return { ok: true, selector: { text, segments: [text] } }
  const encoded = text.slice(1).split('/')
  if (encoded.length > MAX_SEGMENTS) return refused(`must not be deeper than ${MAX_SEGMENTS} levels`)
  if (encoded.some(hasBadEscape)) return refused('must contain "~" only as "~0" (for "~") or "~1" (for "/")')
  return { ok: true, selector: { text, segments: encoded.map(unescapeSegment) } }
}

/** The JSON pointer that selects the same claim: two selectors mean the same when their pointers are equal. */
export function selectorPointer(text: string): string {
  return text.startsWith('/') ? text : `/${text.replaceAll('~', '~0').replaceAll('/', '~1')}`
}

/** Whether a selector selects the claim `sub`. */
export function selectsSubject(text: string): boolean {
  return selectorPointer(text) === '/sub'
}

/** Returns a warning when a literal name looks like a path, with the JSON pointer to write instead. */
export function selectorWarning(text: string): string | undefined {
  if (text.startsWith('/') || !text.includes('/')) return undefined
  return `"${text}" selects the root claim of exactly that name; to reach a nested claim write "/${text}"`
}

/** Returns the selected value, or undefined. Follows own members of objects and canonical indexes of arrays only. */
export function selectClaim(selector: Selector, claims: JsonObject): JsonValue | undefined {
  let value: JsonValue | undefined = claims
  for (const segment of selector.segments) {
    if (Array.isArray(value)) value = elementAt(value, segment)
    else if (isJsonObject(value) && Object.hasOwn(value, segment)) value = value[segment]
    else return undefined
  }
  return value
}

const refused = (reason: string): SelectorReading => ({ ok: false, reason })

function hasBadEscape(segment: string): boolean {
  for (let at = segment.indexOf('~'); at !== -1; at = segment.indexOf('~', at + 1)) {
    const escaped = segment[at + 1]
    if (escaped !== '0' && escaped !== '1') return true
  }
  return false
}

/** `~1` before `~0`, else `~01` would become `/` (RFC 6901 section 4). */
function unescapeSegment(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~')
}

function elementAt(array: readonly JsonValue[], segment: string): JsonValue | undefined {
  const index = Number(segment)
  return Number.isInteger(index) && index >= 0 && String(index) === segment ? array[index] : undefined
}
