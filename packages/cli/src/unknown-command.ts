import { type CliError, usageError } from './cli-error.ts'
import type { CommandRow } from './command.ts'
import { listSubcommands } from './find-command.ts'

/** The error for words that name no command. */
export function unknownCommand(commands: readonly CommandRow[], words: readonly string[]): CliError {
  const [first = '', second] = words
  if (first.startsWith('-'))
    return usageError(`"${first}" stands before any command`, 'write countersign COMMAND [flags]')
  const below = listSubcommands(commands, first)
  const isCommand = commands.some((row) => row.name === first)
  const named = second !== undefined && (isCommand || below.length > 0) ? `${first} ${second}` : first
  if (below.length === 0) {
    const words = new Set(commands.map(({ name }) => name.split(' ')[0]))
    return usageError(`there is no command "${named}"`, `commands are ${[...words].join(', ')}`)
  }
  const message = second === undefined ? `"${first}" needs one more word` : `there is no command "${named}"`
  return usageError(message, `try ${below.map((row) => `"countersign ${row.name}"`).join(' or ')}`)
}
