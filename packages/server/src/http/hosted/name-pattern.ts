import { MAX_NAME_LENGTH } from '@countersign/contract/limits'
import { fieldError, foldName, nameMatcher } from '@countersign/core'
import type { Query } from '../pipeline/query.ts'

/** Reads the pattern for names from the first of these parameters that is given. Throws COULD_NOT_VALIDATE when it is longer than a name can be. */
export function readNamePattern(query: Query, ...parameters: readonly string[]): string | undefined {
  const parameter = parameters.find((name) => query.has(name))
  const pattern = parameter && query.get(parameter)
  if (!parameter || !pattern) return undefined
  if (pattern.length > MAX_NAME_LENGTH || isCostly(foldName(pattern))) {
    throw fieldError(parameter, `${parameter} must have at most ${MAX_NAME_LENGTH} characters`, pattern)
  }
  return pattern
}

/** The time to find a part of a name grows with both lengths, and folding can make each 18 times as long. */
function isCostly(folded: string): boolean {
  return folded.length > MAX_NAME_LENGTH && folded.includes('%')
}

/** The same as a test, which every name passes when no pattern is given. */
export function readNameMatcher(query: Query, ...parameters: readonly string[]): (name: string) => boolean {
  const pattern = readNamePattern(query, ...parameters)
  return pattern === undefined ? () => true : nameMatcher(pattern)
}
