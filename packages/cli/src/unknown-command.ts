import { type CliError, usageError } from './cli-error.ts'
import { COMMANDS, listSubcommands } from './commands.ts'

/** The error for words that name no command. */
export function unknownCommand(words: readonly string[]): CliError {
  const [first = '', second] = words
  if (first.startsWith('-'))
    return usageError(`"${first}" stands before any command`, 'write countersign COMMAND [flags]')
  const below = listSubcommands(first)
  const isCommand = COMMANDS.some((row) => row.name === first)
  const named = second !== undefined && (isCommand || below.length > 0) ? `${first} ${second}` : first
  if (below.length === 0) {
    const words = new Set(COMMANDS.map(({ name }) => name.split(' ')[0]))
    return usageError(`there is no command "${named}"`, `commands are ${[...words].join(', ')}`)
  }
  const message = second === undefined ? `"${first}" needs one more word` : `there is no command "${named}"`
  return usageError(message, `try ${below.map((row) => `"countersign ${row.name}"`).join(' or ')}`)
}
