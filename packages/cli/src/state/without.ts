import type { Members } from '../resources/references.ts'

/** The members without those of these names. */
export function without(members: Members, names: readonly string[]): Members {
  return Object.fromEntries(Object.entries(members).filter(([name]) => !names.includes(name)))
}
