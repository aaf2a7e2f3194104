import { quoteForFilter } from '@countersign/sdk'

/** A filter that matches when one of the fields contains the text; undefined for blank text. */
export function searchFilter(fields: readonly string[], text: string): string | undefined {
  if (text.trim() === '') return undefined
  return fields.map((field) => `${field} icontains ${quoteForFilter(text.trim())}`).join(' or ')
}
