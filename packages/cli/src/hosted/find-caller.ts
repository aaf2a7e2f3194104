import { statSync } from 'node:fs'
import { Credentials, findTokenInEnv, listDefaultFiles } from '@countersign/sdk'
import { CliError, EXIT } from '../cli-error.ts'
import type { Call } from '../command.ts'
import { findProfile, getProfileName, type Profile } from '../files/profiles.ts'

/** Who calls the hosted API, and where that was found. */
export type Caller = { readonly source: string } & (
  | { readonly credentials: Credentials }
  | { readonly token: string }
  | { readonly session: string }
)

/** Variables of ours come before those that existing tools of this API read. */
const PREFIXES = ['COUNTERSIGN_', 'NETFOUNDRY_'] as const

/**
 * Finds who calls, in one order: `--credentials`, the environment, the profile, the default files. Throws with status 3 when
 * there is nobody.
 */
export async function findCaller(call: Call): Promise<Caller> {
  const { flags, env, terminal } = call
  const { credentials: file } = flags
  const places: readonly (readonly [place: string, look: () => Promise<Caller | undefined>])[] = [
    ['--credentials', async () => (typeof file === 'string' ? fromFile(file, '--credentials') : undefined)],
    ['environment', () => fromEnvironment(env)],
    ['profile', () => fromProfile(findProfile(env, getProfileName(call)))],
    ['default files', () => fromDefaultFiles(env)],
  ]
  terminal.debug(`credentials are looked for in this order: ${places.map(([place]) => place).join(', ')}`)
  for (const [place, look] of places) {
    const caller = await look()
    if (!caller) {
      terminal.debug(`credentials: none by ${place}`)
      continue
    }
    terminal.debug(`credentials: ${caller.source}`)
    if ('credentials' in caller) warnAboutReaders(call, caller.credentials.source)
    return caller
  }
  throw new CliError('there are no credentials for the hosted API', {
    hint: 'name a credentials file with --credentials or COUNTERSIGN_CREDENTIALS, or log in as an administrator',
    exitCode: EXIT.notSignedIn,
  })
}

async function fromEnvironment(env: Call['env']): Promise<Caller | undefined> {
  for (const prefix of PREFIXES) {
    const own = Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith(prefix)))
    const ready = findTokenInEnv(own)
    if (ready) return { token: ready.token, source: `environment ${ready.source}` }
    const credentials = await Credentials.fromEnv(own)
    if (credentials) return { credentials, source: `environment: ${credentials.source}` }
  }
  return undefined
}

async function fromProfile(profile: Profile | undefined): Promise<Caller | undefined> {
  if (profile?.credentials !== undefined) return fromFile(profile.credentials, 'profile')
  return profile?.session === undefined ? undefined : { session: profile.session, source: 'profile: its session' }
}

async function fromDefaultFiles(env: Call['env']): Promise<Caller | undefined> {
  for (const file of listDefaultFiles(env)) {
    if (statSync(file, { throwIfNoEntry: false })?.isFile()) return fromFile(file, 'default file')
  }
  return undefined
}

async function fromFile(file: string, where: string): Promise<Caller> {
  return { credentials: await Credentials.fromFile(file), source: `${where}: ${file}` }
}

function warnAboutReaders({ terminal }: Call, file: string): void {
  const stats = statSync(file, { throwIfNoEntry: false })
  if (stats && (stats.mode & 0o077) !== 0) terminal.note(`warning: others can read ${file}; run: chmod 600 ${file}`)
}
