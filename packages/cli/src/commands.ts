import type { CommandRow } from './command.ts'

/** Every command, in the order of help. */
export const COMMANDS: readonly CommandRow[] = [
  {
    name: 'up',
    summary: 'Start a controller',
    load: async () => (await import('./commands/up.ts')).up,
  },
  {
    name: 'config show',
    summary: 'Print the effective settings and where each came from',
    load: async () => (await import('./commands/config-show.ts')).configShow,
  },
  {
    name: 'backup',
    summary: 'Write a copy of the data directory to a file, also while the controller runs',
    load: async () => (await import('./commands/backup.ts')).backup,
  },
  {
    name: 'restore',
    summary: 'Make a data directory from a backup file',
    load: async () => (await import('./commands/restore.ts')).restore,
  },
  {
    name: 'version',
    summary: 'Print the version',
    load: async () => (await import('./commands/version.ts')).version,
  },
  {
    name: 'help',
    summary: 'Explain a command',
    load: async () => (await import('./commands/help.ts')).help,
  },
]

/** The command whose name the words begin with, the longest first, and the words after it. */
export function findCommand(words: readonly string[]): { row: CommandRow; rest: readonly string[] } | undefined {
  for (const length of [2, 1]) {
    const name = words.slice(0, length).join(' ')
    const row = words.length >= length ? COMMANDS.find((candidate) => candidate.name === name) : undefined
    if (row) return { row, rest: words.slice(length) }
  }
  return undefined
}

/** The commands below a word: `config` gives `config show`. */
export function listSubcommands(word: string): readonly CommandRow[] {
  return COMMANDS.filter((row) => row.name.startsWith(`${word} `))
}
