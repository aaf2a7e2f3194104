import type { FlagValues } from './command.ts'

/** The value of a flag that is given once; undefined when it is not given. */
export function textFlag(flags: FlagValues, name: string): string | undefined {
  const value = flags[name]
  return typeof value === 'string' ? value : undefined
}
