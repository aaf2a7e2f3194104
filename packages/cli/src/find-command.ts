import type { CommandRow } from './command.ts'

/** Other words for the last word of a command. */
const ALIASES: Readonly<Record<string, string>> = { get: 'show' }

/** Finds the command with the longest name that `words` start with. `rest` holds the words after it. */
export function findCommand(
  commands: readonly CommandRow[],
  words: readonly string[],
): { row: CommandRow; rest: readonly string[] } | undefined {
  for (const length of [2, 1]) {
    if (words.length < length) continue
    const named = words.slice(0, length)
    const row = findNamed(commands, named) ?? findNamed(commands, named.with(-1, resolveAlias(named.at(-1) ?? '')))
    if (row) return { row, rest: words.slice(length) }
  }
  return undefined
}

function findNamed(commands: readonly CommandRow[], words: readonly string[]): CommandRow | undefined {
  return commands.find(({ name }) => name === words.join(' '))
}

function resolveAlias(word: string): string {
  return Object.hasOwn(ALIASES, word) ? (ALIASES[word] ?? word) : word
}

/** The commands below a word: `config show` for `config`. */
export function listSubcommands(commands: readonly CommandRow[], word: string): readonly CommandRow[] {
  return commands.filter((row) => row.name.startsWith(`${word} `))
}
