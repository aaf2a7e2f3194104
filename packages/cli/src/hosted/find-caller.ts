import { statSync } from 'node:fs'
import { Credentials, findTokenInEnv, listDefaultFiles } from '@countersign/sdk'
import { CliError, EXIT } from '../cli-error.ts'
import type { Call } from '../command.ts'
import { findProfile, getProfileName, type Profile } from '../files/profiles.ts'
import { checkToken } from '../session/second-jwt.ts'

/** The credentials for the hosted API, and where they were found. */
export type Caller = { readonly source: string } & (
  | { readonly credentials: Credentials }
  | { readonly token: string }
  | { readonly session: string }
)

/** Our variables take precedence over those of existing tools of this API. */
const OWN_PREFIXES = ['COUNTERSIGN_']
const PREFIXES = [...OWN_PREFIXES, 'NETFOUNDRY_']

/** Like `findCaller`, but throws with status 3 when there are none. */
export async function getCaller(call: Call, hostedUrl: string | undefined): Promise<Caller> {
  const caller = await findCaller(call, hostedUrl)
  if (caller) return caller
  throw noCaller(findProfile(call.env, getProfileName(call)), hostedUrl)
}

/** Finds the credentials for the API, in this order: `--credentials`, the environment, the profile, the default files. */
export async function findCaller(
  call: Call,
  hostedUrl: string | undefined,
  { withOtherTools = true }: { readonly withOtherTools?: boolean } = {},
): Promise<Caller | undefined> {
  const { flags, env, terminal } = call
  const { credentials: file } = flags
  const profile = findProfile(env, getProfileName(call))
  const sources: readonly (readonly [name: string, find: () => Promise<Caller | undefined>])[] = [
    ['--credentials', async () => (typeof file === 'string' ? fromFile(file, '--credentials') : undefined)],
    ['environment', () => fromEnvironment(env, withOtherTools ? PREFIXES : OWN_PREFIXES)],
    ['profile', () => fromProfile(profile, hostedUrl)],
    ['default files', () => fromDefaultFiles(env)],
  ]
  terminal.debug(`credentials are searched in this order: ${sources.map(([name]) => name).join(', ')}`)
  for (const [name, find] of sources) {
    const caller = await find()
    if (!caller) {
      terminal.debug(`credentials: none from ${name}`)
      continue
    }
    terminal.debug(`credentials: ${caller.source}`)
    if ('credentials' in caller) warnIfReadableByOthers(call, caller.credentials.file)
    return caller
  }
  return undefined
}

/** The error when there are no credentials for an address. */
export function noCaller(profile: Profile | undefined, hostedUrl: string | undefined): CliError {
  const hint = 'name a credentials file with --credentials or COUNTERSIGN_CREDENTIALS'
  if (profile?.session !== undefined) {
    return new CliError(`your session belongs to ${profile.url} and is not sent to ${hostedUrl}`, {
      hint,
      exitCode: EXIT.notLoggedIn,
    })
  }
  return new CliError('there are no credentials for the hosted API', {
    hint: `${hint}, or log in as an administrator`,
    exitCode: EXIT.notLoggedIn,
  })
}

async function fromEnvironment(env: Call['env'], prefixes: readonly string[]): Promise<Caller | undefined> {
  for (const prefix of prefixes) {
    const own = Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith(prefix)))
    const found = findTokenInEnv(own)
    if (found) return { token: checkToken(found.token), source: `environment ${found.source}` }
    const credentials = await Credentials.fromEnv(own)
    if (credentials) return { credentials, source: `environment: ${credentials.source}` }
  }
  return undefined
}

/** A session is sent only to the controller that issued it. */
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

function warnIfReadableByOthers({ terminal }: Call, file: string | undefined): void {
  const stats = file === undefined ? undefined : statSync(file, { throwIfNoEntry: false })
  if (stats && (stats.mode & 0o077) !== 0) terminal.note(`warning: others can read ${file}; run: chmod 600 ${file}`)
}
