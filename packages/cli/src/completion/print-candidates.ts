import { EXIT } from '../cli-error.ts'
import type { CallContext, CommandRow } from '../command.ts'
import { printableLine } from '../printable.ts'
import { SHELLS, type Shell } from './complete-word.ts'
import { type Candidate, filterByPrefix, findCandidates } from './find-candidates.ts'
import { loadNames } from './load-names.ts'

/** The line after which a shell adds the names of files. */
const FILES = ':files'

/** `countersign __complete SHELL WORD…`: prints the candidates for the last word, a line each, in the form that the shell's script reads. */
export async function printCandidates(
  commands: readonly CommandRow[],
  [shellName, ...given]: readonly string[],
  context: CallContext,
): Promise<number> {
  const shell = SHELLS.find((name) => name === shellName)
  if (!shell) return EXIT.usage
  const words = shell === 'bash' ? joinBroken(given) : given
  const current = words.at(-1) ?? ''
  const { candidates, more } = await findCandidates(commands, words)
  const names =
    more && 'names' in more
      ? (await loadNames(commands, more.names, { words, context })).map((name) => ({ word: more.prefix + name }))
      : []
  for (const candidate of filterByPrefix([...candidates, ...names], current)) {
    context.terminal.out(FORMS[shell](candidate, current))
  }
  if (more && 'files' in more) context.terminal.out(FILES)
  return EXIT.ok
}

/** Bash breaks words at these characters, and completes only the part after the last one. */
const BREAKS = /[=:]/

/** Joins what bash has broken: `--output`, `=`, `json`. */
function joinBroken(words: readonly string[]): string[] {
  const joined: string[] = []
  for (const [index, word] of words.entries()) {
    const before = words[index - 1] ?? ''
    const continues = index > 0 && (BREAKS.test(word[0] ?? '') || BREAKS.test(before.at(-1) ?? ''))
    if (continues && joined.length > 0) joined.push(`${joined.pop()}${word}`)
    else joined.push(word)
  }
  return joined
}

/** The script replaces the first one with a tab, which no line of a result contains. */
const FISH_GAP = '  '

const FORMS: Readonly<Record<Shell, (candidate: Candidate, current: string) => string>> = {
  bash: ({ word }, current) => word.slice(current.length - (current.split(BREAKS).at(-1) ?? '').length),
  zsh: ({ word, description }) => [word.replaceAll(':', '\\:'), ...describe(description)].join(':'),
  fish: ({ word, description }) => [word, ...describe(description)].join(FISH_GAP),
}

function describe(description: string | undefined): string[] {
  return description === undefined ? [] : [printableLine(description)]
}
