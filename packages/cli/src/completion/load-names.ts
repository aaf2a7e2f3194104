import type { CallContext, CommandRow } from '../command.ts'
import { listProfiles } from '../files/profiles.ts'
import type { Terminal } from '../terminal.ts'

/** A shell that waits longer for the TAB key looks broken. */
const TIME_LIMIT_MS = 3000
const MAX_NAMES = '200'

/**
 * The names of items, by the command that lists them, with the login and the profile of the command line. Empty when there is no login, no
 * such command, or no response in time: an error text would end up on the command line.
 */
export async function loadNames(
  commands: readonly CommandRow[],
  kind: string,
  { words, context }: { readonly words: readonly string[]; readonly context: CallContext },
): Promise<readonly string[]> {
  if (kind === 'profiles') return listProfiles(context.env)
  const row = commands.find(({ name }) => name === `${kind} list`)
  const command = await row?.load()
  if (!command || command.args.length > 0) return []
  const names: string[] = []
  const flags = { output: 'name', limit: MAX_NAMES, quiet: true, ...readProfile(words) }
  const call = { ...context, args: [], flags, terminal: silence(names) }
  const timer = new Promise<number>((resolve) => setTimeout(() => resolve(0), TIME_LIMIT_MS).unref())
  try {
    await Promise.race([command.run(call), timer])
  } catch {
    // No candidates.
  }
  return names
}

function readProfile(words: readonly string[]): { readonly profile?: string } {
  const profile = words[words.indexOf('--profile') + 1]
  return words.includes('--profile') && profile ? { profile } : {}
}

function silence(names: string[]): Terminal {
  const ignore = () => {}
  return {
    out: (line) => void names.push(String(line)),
    note: ignore,
    notice: ignore,
    debug: ignore,
    error: ignore,
    columns: undefined,
  }
}
