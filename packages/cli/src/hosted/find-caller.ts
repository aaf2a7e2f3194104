import { statSync } from 'node:fs'
import { Credentials, findTokenInEnv, listDefaultFiles } from '@countersign/sdk'
import { CliError, EXIT } from '../cli-error.ts'
import type { Call } from '../command.ts'
import { findProfile, getProfileName, type Profile } from '../files/profiles.ts'
import { checkToken } from '../session/second-jwt.ts'

/** Who calls the hosted API, and where that was found. */
export type Caller = { readonly source: string } & (
  | { readonly credentials: Credentials }
  | { readonly token: string }
  | { readonly session: string }
)

/** Variables of ours come before those that existing tools of this API read. */
const PREFIXES = ['COUNTERSIGN_', 'NETFOUNDRY_'] as const

/**
 * Finds who calls the hosted API at an address, in one order: `--credentials`, the environment, the profile, the default
 * files. Throws with status 3 when there is nobody.
 */
export async function findCaller(call: Call, hostedUrl: string | undefined): Promise<Caller> {
  const { flags, env, terminal } = call
  const { credentials: file } = flags
  const profile = findProfile(env, getProfileName(call))
  const places: readonly (readonly [place: string, look: () => Promise<Caller | undefined>])[] = [
    ['--credentials', async () => (typeof file === 'string' ? fromFile(file, '--credentials') : undefined)],
    ['environment', () => fromEnvironment(env)],
    ['profile', () => fromProfile(profile, hostedUrl)],
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
    if ('credentials' in caller) warnAboutReaders(call, caller.credentials.file)
    return caller
  }
  const hint = 'name a credentials file with --credentials or COUNTERSIGN_CREDENTIALS'
  if (profile?.session !== undefined) {
    throw new CliError(`your session is one of ${profile.url}, and is not shown to ${hostedUrl}`, {
      hint,
      exitCode: EXIT.notSignedIn,
    })
  }
  throw new CliError('there are no credentials for the hosted API', {
    hint: `${hint}, or log in as an administrator`,
    exitCode: EXIT.notSignedIn,
  })
}

async function fromEnvironment(env: Call['env']): Promise<Caller | undefined> {
  for (const prefix of PREFIXES) {
    const own = Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith(prefix)))
    const ready = findTokenInEnv(own)
    if (ready) return { token: checkToken(ready.token), source: `environment ${ready.source}` }
    const credentials = await Credentials.fromEnv(own)
    if (credentials) return { credentials, source: `environment: ${credentials.source}` }
  }
  return undefined
}

/** A session belongs to the controller that gave it: at another address there is none. */
async function fromProfile(profile: Profile | undefined, hostedUrl: string | undefined): Promise<Caller | undefined> {
  if (profile?.credentials !== undefined) return fromFile(profile.credentials, 'profile')
  if (profile?.session === undefined || hostedUrl !== new URL(profile.url).origin) return undefined
  return { session: profile.session, source: 'profile: its session' }
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

function warnAboutReaders({ terminal }: Call, file: string | undefined): void {
  const stats = file === undefined ? undefined : statSync(file, { throwIfNoEntry: false })
  if (stats && (stats.mode & 0o077) !== 0) terminal.note(`warning: others can read ${file}; run: chmod 600 ${file}`)
}
