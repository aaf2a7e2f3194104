import { type CliError, usageError } from './cli-error.ts'
import type { CommandRow } from './command.ts'
import { listSubcommands } from './find-command.ts'
import { askDidYouMean, suggest } from './suggest.ts'

/** The error for `words` that start with no command. */
export function unknownCommand(commands: readonly CommandRow[], words: readonly string[]): CliError {
  const [first = '', second] = words
  if (first.startsWith('-'))
    return usageError(`flag "${first}" before the command`, 'write countersign COMMAND [flags]')
  const subcommands = listSubcommands(commands, first)
  const isCommand = commands.some((row) => row.name === first)
  const named = second !== undefined && (isCommand || subcommands.length > 0) ? `${first} ${second}` : first
  const near = askDidYouMean(suggestCommands(commands, words).map((name) => `"countersign ${name}"`))
  if (subcommands.length === 0) {
    const nouns = new Set(commands.map(({ name }) => name.split(' ')[0]))
    return usageError(`there is no command "${named}"`, near ?? `commands are ${[...nouns].join(', ')}`)
  }
  const message = second === undefined ? `"${first}" needs a subcommand` : `there is no command "${named}"`
  return usageError(message, near ?? hintOf(first, subcommands))
}

function hintOf(noun: string, subcommands: readonly CommandRow[]): string {
  if (subcommands.length === 1) return `try "countersign ${subcommands[0]?.name}"`
  const verbs = subcommands.map(({ name }) => name.slice(noun.length + 1)).join(', ')
  return `its commands are ${verbs}: "countersign ${noun} --help" explains them`
}

/** The commands that are probably meant: with a misspelt first or second word, or with the two swapped (`list signers`). */
function suggestCommands(commands: readonly CommandRow[], [first = '', second]: readonly string[]): string[] {
  const names = commands.map(({ name }) => name)
  if (second === undefined || second.startsWith('-')) {
    return names.some((name) => name.startsWith(`${first} `)) ? [] : suggest(first, listFirstWords(names))
  }
  const nouns = suggest(first, listFirstWords(names))
  const wholes = nouns.flatMap((noun) => suggestVerb(names, noun, second))
  if (wholes.length > 0) return wholes
  const swapped = suggest(second, listFirstWords(names)).flatMap((noun) => suggestVerb(names, noun, first))
  return swapped.length > 0 ? swapped : nouns.filter((noun) => noun !== first)
}

function suggestVerb(names: readonly string[], noun: string, verb: string): string[] {
  const verbs = names.flatMap((name) => (name.startsWith(`${noun} `) ? [name.slice(noun.length + 1)] : []))
  return suggest(verb, verbs).map((found) => `${noun} ${found}`)
}

function listFirstWords(names: readonly string[]): string[] {
  return names.map((name) => name.split(' ')[0] ?? '')
}
