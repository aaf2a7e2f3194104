import { errorWords, failureLines, needsFieldName } from '@countersign/contract/error-words'
import { separateWords } from '@countersign/contract/resource'
import { CallFailed } from './call-failed.ts'

/** An error in words that people use, for a note at the refused field. */
export function errorText(error: unknown): string {
  return error instanceof CallFailed ? errorWords(error) : String(error)
}

/** Like `errorText`, for a place away from the field. */
export function errorSentence(error: unknown): string {
  const text = errorText(error)
  const field = error instanceof CallFailed ? error.field : undefined
  return field === undefined || !needsFieldName(text) ? text : `${labelOf(field)}: ${text}`
}

/** The failed test cases of a refused save. */
export function errorDetails(error: unknown): readonly string[] {
  return error instanceof CallFailed ? failureLines(error.cause) : []
}

/** `primary.updb.minPasswordLength` is “min password length”. */
function labelOf(field: string): string {
  return separateWords(field.split('.').findLast((part) => !/^\d+$/.test(part)) ?? field, ' ')
}
