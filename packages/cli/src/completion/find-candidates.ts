import type { Command, CommandRow, Flag } from '../command.ts'
import { findCommand, listSubcommands } from '../find-command.ts'
import { listFlags } from '../parse-flags.ts'
import { SHELLS } from './complete-word.ts'

export interface Candidate {
  readonly word: string
  readonly description?: string
}

/** What can stand at the end of a command line. */
export interface Candidates {
  readonly candidates: readonly Candidate[]
  /** Files, or the names of a kind of items, are candidates too. */
  readonly more?: { readonly files: true } | { readonly names: string; readonly prefix: string }
}

/** The last of `words` is the one to complete; it can be empty. */
export async function findCandidates(commands: readonly CommandRow[], words: readonly string[]): Promise<Candidates> {
  const current = words.at(-1) ?? ''
  const before = words.slice(0, -1)
  const [first] = before
  if (first === 'help' && !current.startsWith('-'))
    return { candidates: completeCommand(commands, before.slice(1), current) }
  const found = findCommand(commands, before)
  if (!found) return { candidates: completeCommand(commands, before, current) }
  // `token` is a command, and the beginning of none; `config` is only the beginning of one.
  const command = await found.row.load()
  return completeArguments(found.row, command, found.rest, current)
}

function completeCommand(commands: readonly CommandRow[], before: readonly string[], current: string): Candidate[] {
  if (before.length > 1) return []
  const rows = before[0] === undefined ? commands : listSubcommands(commands, before[0])
  const words = new Map<string, string>()
  for (const { name, summary } of rows) {
    const [noun = '', verb] = name.split(' ')
    const word = before[0] === undefined ? noun : (verb ?? '')
    // A noun has several commands: the summary of the first would be misleading.
    words.set(word, words.has(word) || (before[0] === undefined && verb) ? `${noun} …` : summary)
  }
  return filterByPrefix(
    [...words].map(([word, description]) => ({ word, description })),
    current,
  )
}

function completeArguments(row: CommandRow, command: Command, rest: readonly string[], current: string): Candidates {
  const flags = listFlags(command)
  const inline = /^(--[^=]+)=(.*)$/s.exec(current)
  const inlineFlag = inline ? findFlag(flags, inline[1] ?? '') : undefined
  if (inline && inlineFlag?.value) return completeValue(inlineFlag, inline[2] ?? '', `${inline[1]}=`)
  const last = findFlag(flags, rest.at(-1) ?? '')
  if (last?.value) return completeValue(last, current)
  if (current.startsWith('-')) return { candidates: filterByPrefix(listFlagWords(flags, rest), current) }
  return completeArgument(row, command, countArguments(flags, rest), current)
}

function findFlag(flags: readonly Flag[], word: string): Flag | undefined {
  return flags.find(({ name, short }) => word === `--${name}` || (short !== undefined && word === `-${short}`))
}

function listFlagWords(flags: readonly Flag[], given: readonly string[]): Candidate[] {
  return flags.flatMap(({ name, description, negatable, repeatable }) => {
    if (!repeatable && given.includes(`--${name}`)) return []
    return [`--${name}`, ...(negatable ? [`--no-${name}`] : [])].map((word) => ({ word, description }))
  })
}

/** Values by the flag, where its placeholder does not say what they are. */
const NAMES_BY_FLAG: Readonly<Record<string, string>> = {
  profile: 'profiles',
  signer: 'signers',
  'allowed-signer': 'signers',
  'require-signer': 'signers',
  'linked-signer': 'signers',
  policy: 'policies',
  'enroll-policy': 'policies',
  'enroll-ca': 'cas',
  provider: 'providers',
}
const FILE_PLACEHOLDERS: ReadonlySet<string> = new Set(['FILE', 'DIR', '[FILE]'])

function completeValue(flag: Flag, current: string, prefix = ''): Candidates {
  const { choices, name, value = '' } = flag
  if (choices)
    return {
      candidates: filterByPrefix(
        choices.map((choice) => ({ word: prefix + choice })),
        prefix + current,
      ),
    }
  const names = NAMES_BY_FLAG[name]
  if (names !== undefined) return { candidates: [], more: { names, prefix } }
  return FILE_PLACEHOLDERS.has(value) ? { candidates: [], more: { files: true } } : { candidates: [] }
}

/** The number of words that are neither flags nor their values. */
function countArguments(flags: readonly Flag[], words: readonly string[]): number {
  let count = 0
  for (const [index, word] of words.entries()) {
    const isValue = Boolean(findFlag(flags, words[index - 1] ?? '')?.value)
    if (!isValue && !word.startsWith('-')) count++
  }
  return count
}

const NAMES_BY_ARGUMENT: Readonly<Record<string, string>> = { SIGNER: 'signers', IDENTITY: 'identities' }
const CHOICES_BY_ARGUMENT: Readonly<Record<string, readonly string[]>> = {
  SHELL: SHELLS,
  METHOD: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
}

function completeArgument({ name }: CommandRow, { args }: Command, position: number, current: string): Candidates {
  const placeholder = args[position] ?? ''
  const [noun = '', verb] = name.split(' ')
  if (FILE_PLACEHOLDERS.has(placeholder)) return { candidates: [], more: { files: true } }
  const choices = CHOICES_BY_ARGUMENT[placeholder]
  if (choices)
    return {
      candidates: filterByPrefix(
        choices.map((word) => ({ word })),
        current,
      ),
    }
  const names = NAMES_BY_ARGUMENT[placeholder]
  if (names !== undefined) return { candidates: [], more: { names, prefix: '' } }
  // A new item has a new name.
  const isExisting = ['NAME', 'ID', 'ROLE'].includes(placeholder) && verb !== 'create'
  return isExisting ? { candidates: [], more: { names: noun, prefix: '' } } : { candidates: [] }
}

export function filterByPrefix(candidates: readonly Candidate[], prefix: string): Candidate[] {
  return candidates.filter(({ word }) => word.startsWith(prefix))
}
