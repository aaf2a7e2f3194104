import { fieldError } from '../app-error.ts'
import type { JsonObject } from '../json/json-value.ts'
import { checkPlainText } from '../text/plain-text.ts'

export type TagValue = null | string | number | boolean
export type Tags = Record<string, TagValue>

const MAX_TAGS = 100
const MAX_TAG_NAME_LENGTH = 128
const MAX_TAG_VALUE_LENGTH = 2048
/** A list shows the tags of up to 500 entities. */
const MAX_JSON_LENGTH = 16_384

/** Validates a tags object. Members whose value is an object or an array are ignored, as existing clients expect. */
export function readTags(field: string, given: JsonObject): Tags {
  const entries = Object.entries(given)
  if (entries.length > MAX_TAGS) throw fieldError(field, `${field} may have at most ${MAX_TAGS} members`, '')
  const tags: Tags = {}
  for (const [name, value] of entries) {
    if (name.length > MAX_TAG_NAME_LENGTH) {
      throw fieldError(field, `a name in ${field} may have at most ${MAX_TAG_NAME_LENGTH} characters`, name)
    }
    checkPlainText(field, name)
    if (typeof value === 'object' && value !== null) continue
    if (typeof value === 'string') {
      if (value.length > MAX_TAG_VALUE_LENGTH) {
        throw fieldError(field, `a value in ${field} may have at most ${MAX_TAG_VALUE_LENGTH} characters`, name)
      }
      checkTagText(field, value)
    }
    tags[name] = value
  }
  const { length } = JSON.stringify(tags)
  if (length > MAX_JSON_LENGTH) {
    throw fieldError(field, `${field} may have at most ${MAX_JSON_LENGTH} characters of JSON, not ${length}`, '')
  }
  return tags
}

/** Tag values may contain tabs and line breaks, but no other control characters. */
function checkTagText(field: string, value: string): void {
  checkPlainText(field, value.replaceAll('\n', '').replaceAll('\r', '').replaceAll('\t', ''))
}
