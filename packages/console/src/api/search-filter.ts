import { quoteForFilter } from '@countersign/sdk'

/** A condition that holds where one of the fields contains the text. */
export function searchFilter(fields: readonly string[], text: string): string | undefined {
  if (text.trim() === '') return undefined
  return fields.map((field) => `${field} icontains ${quoteForFilter(text.trim())}`).join(' or ')
}
