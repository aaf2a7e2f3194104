import {
  CALLER_SOURCES,
  type CallerSource,
  type FindCallerOptions,
  type FoundCaller,
  findCaller as findAnyCaller,
  fromCredentialsFile,
} from '@countersign/sdk'
import { createNodeFetch } from '@countersign/sdk/node'
import { CliError, EXIT } from '../cli-error.ts'
import type { Call } from '../command.ts'
import { findProfile, getProfileName, type Profile } from '../files/profiles.ts'
import { textFlag } from '../text-flag.ts'
import { isSdkError } from '../to-cli-error.ts'

/** The credentials for the API, and where they were found. */
export type Caller = FoundCaller

/** The result of a search that found nothing: what was tried. */
export interface NoCaller {
  readonly tried: string
}

const OPTION_NAMES = {
  credentialsFile: '--credentials',
  tokenFile: '--token-file',
  tokenCommand: '--token-command',
}

/** Like `findCaller`, but throws with status 3 when there are none. */
export async function getCaller(call: Call, hostedUrl: string | undefined): Promise<Caller> {
  const found = await findCaller(call, hostedUrl)
  if (!('tried' in found)) return found
  throw noCaller(findProfile(call.env, getProfileName(call)), hostedUrl, found)
}

/** A command can search twice, but should warn and run a token command once. */
const foundBefore = new WeakMap<Call, Promise<Caller | NoCaller>>()

/** Finds the credentials for the API in the sources of the SDK, with the profile before the default files. */
export function findCaller(
  call: Call,
  hostedUrl: string | undefined,
  { withOtherTools = true }: { readonly withOtherTools?: boolean } = {},
): Promise<Caller | NoCaller> {
  const found = foundBefore.get(call) ?? search(call, hostedUrl, withOtherTools)
  foundBefore.set(call, found)
  return found
}

async function search(call: Call, hostedUrl: string | undefined, withOtherTools: boolean): Promise<Caller | NoCaller> {
  const { flags, env, terminal } = call
  const sources = buildSources(findProfile(env, getProfileName(call)), hostedUrl)
  terminal.debug(`credentials are searched in this order: ${sources.map(({ name }) => name).join(', ')}`)
  const options: FindCallerOptions = {
    credentialsFile: textFlag(flags, 'credentials'),
    tokenFile: textFlag(flags, 'token-file'),
    tokenCommand: textFlag(flags, 'token-command'),
    audience: textFlag(flags, 'token-audience'),
    optionNames: OPTION_NAMES,
    env,
    withOtherTools,
    sources,
    fetch: createNodeFetch({}),
    onTried: (name, result) =>
      terminal.debug(
        typeof result === 'string' ? `no credentials from ${name}: ${result}` : `credentials: ${result.source}`,
      ),
  }
  try {
    const caller = await findAnyCaller(options)
    for (const warning of caller.warnings) terminal.note(`warning: ${warning}`)
    return caller
  } catch (error) {
    // A file that was named and does not exist has the same code, and a cause.
    if (!isSdkError(error) || error.code !== 'NO_CREDENTIALS' || error.cause !== undefined) throw error
    return { tried: error.message }
  }
}

function buildSources(profile: Profile | undefined, hostedUrl: string | undefined): CallerSource[] {
  const own: CallerSource = { name: 'profile', find: () => fromProfile(profile, hostedUrl) }
  return CALLER_SOURCES.flatMap((source) => {
    if (source.name === 'option') return [{ ...source, name: 'flag' }]
    return source.name === 'default files' ? [own, source] : [source]
  })
}

/** A session is sent only to the controller that issued it. */
async function fromProfile(profile: Profile | undefined, hostedUrl: string | undefined): Promise<Caller | string> {
  if (profile?.credentials !== undefined) return fromCredentialsFile(profile.credentials, 'profile')
  if (profile?.session === undefined) return 'it has no login'
  if (hostedUrl !== new URL(profile.url).origin) return `its session belongs to ${profile.url}`
  return { session: profile.session, source: 'profile: its session', warnings: [] }
}

/** The error when there are no credentials for an address. */
export function noCaller(profile: Profile | undefined, hostedUrl: string | undefined, { tried }: NoCaller): CliError {
  const hint = 'name a credentials file with --credentials or COUNTERSIGN_CREDENTIALS'
  if (profile?.session !== undefined) {
    return new CliError(`your session belongs to ${profile.url} and is not sent to ${hostedUrl}`, {
      hint,
      exitCode: EXIT.notLoggedIn,
    })
  }
  return new CliError(['there are no credentials for the hosted API', tried], {
    hint: `${hint}, or log in as an administrator`,
    exitCode: EXIT.notLoggedIn,
  })
}
