import { type CliError, usageError } from './cli-error.ts'
import type { CommandRow } from './command.ts'
import { listSubcommands } from './find-command.ts'

/** The error for `words` that start with no command. */
export function unknownCommand(commands: readonly CommandRow[], words: readonly string[]): CliError {
  const [first = '', second] = words
  if (first.startsWith('-'))
    return usageError(`flag "${first}" before the command`, 'write countersign COMMAND [flags]')
  const subcommands = listSubcommands(commands, first)
  const isCommand = commands.some((row) => row.name === first)
  const named = second !== undefined && (isCommand || subcommands.length > 0) ? `${first} ${second}` : first
  if (subcommands.length === 0) {
    const words = new Set(commands.map(({ name }) => name.split(' ')[0]))
    return usageError(`there is no command "${named}"`, `commands are ${[...words].join(', ')}`)
  }
  const message = second === undefined ? `"${first}" needs a subcommand` : `there is no command "${named}"`
  return usageError(message, `try ${subcommands.map((row) => `"countersign ${row.name}"`).join(' or ')}`)
}
