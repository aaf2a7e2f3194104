import { errorWords } from '@countersign/contract/error-words'
import { separateWords } from '@countersign/contract/resource'
import { CallFailed } from './call-failed.ts'

/** An error in words that people use, for a note at the refused field. */
export function errorText(error: unknown): string {
  return error instanceof CallFailed ? errorWords(error) : String(error)
}

/** Rules about a value, which mean nothing without its name. */
const RULE = /^(At least|At most|One of|This is|This may|Enter|The value) /

/** Like `errorText`, for a place away from the field. */
export function errorSentence(error: unknown): string {
  const text = errorText(error)
  const field = error instanceof CallFailed ? error.field : undefined
  return field === undefined || !RULE.test(text) ? text : `${labelOf(field)}: ${text}`
}

/** `primary.updb.minPasswordLength` is “min password length”. */
function labelOf(field: string): string {
  return separateWords(field.split('.').findLast((part) => !/^\d+$/.test(part)) ?? field, ' ')
}
