import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.ts'

/** Where in the claims a value is. A literal name is a path of one segment. */
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
 * A leading `/` means an RFC 6901 JSON pointer; anything else is the literal name of a root claim, so that a claim called
 * `https://acme.example/uid` can be written as it stands. Answers a reason for a text that can select nothing.
 */
export function parseSelector(text: string): SelectorReading {
  if (text === '') return refused('must not be empty')
  if (text.length > MAX_LENGTH) return refused(`must not be longer than ${MAX_LENGTH} characters`)
  if (text.startsWith('~')) return refused('must not start with "~"; a claim whose name does is selected by "/~0…"')
  if (!text.startsWith('/')) return { ok: true, selector: { text, segments: [text] } }
  const encoded = text.slice(1).split('/')
  if (encoded.length > MAX_SEGMENTS) return refused(`must not be deeper than ${MAX_SEGMENTS} levels`)
  if (encoded.some(hasBadEscape)) return refused('must hold "~" only as "~0" (for "~") or "~1" (for "/")')
  return { ok: true, selector: { text, segments: encoded.map(unescapeSegment) } }
}

/** Says how a selector that looks like a path, but is a literal name, would be written as a pointer. */
export function selectorWarning(text: string): string | undefined {
  if (text.startsWith('/') || !text.includes('/')) return undefined
  return `"${text}" selects the root claim of exactly that name; to reach a nested claim write "/${text}"`
}

/** The value that the selector names, or undefined. Own members only, never into strings, arrays by canonical index only. */
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
