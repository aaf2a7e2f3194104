import type { CommandRow } from './command.ts'

/** Finds the command with the longest name that `words` start with. `rest` holds the words after it. */
export function findCommand(
  commands: readonly CommandRow[],
  words: readonly string[],
): { row: CommandRow; rest: readonly string[] } | undefined {
  for (const length of [2, 1]) {
    const name = words.slice(0, length).join(' ')
    const row = words.length >= length ? commands.find((candidate) => candidate.name === name) : undefined
    if (row) return { row, rest: words.slice(length) }
  }
  return undefined
}

/** The commands below a word: `config show` for `config`. */
export function listSubcommands(commands: readonly CommandRow[], word: string): readonly CommandRow[] {
  return commands.filter((row) => row.name.startsWith(`${word} `))
}
