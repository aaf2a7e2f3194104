import { HostedClient, TokenSource } from '@countersign/sdk'
import { CliError, EXIT, usageError } from '../cli-error.ts'
import type { Call, Flag } from '../command.ts'
import { loadTextFile } from '../files/load-text-file.ts'
import { findProfile, getProfileName } from '../files/profiles.ts'
import { createTrustingFetch } from '../net/trusting-fetch.ts'
import { CA_FILE_FLAG, CREDENTIALS_FLAG, SHARED_FLAGS } from '../session/call-flags.ts'
import { parseControllerUrl } from '../session/controller-url.ts'
import { withProgress } from '../with-progress.ts'
import { type Caller, findCaller } from './find-caller.ts'
import { createTokenCache } from './token-cache.ts'

/** The flags of every command that speaks to the hosted API. */
export const HOSTED_FLAGS: readonly Flag[] = [
  ...SHARED_FLAGS,
  CREDENTIALS_FLAG,
  { name: 'hosted-url', value: 'URL', description: 'The hosted API [$COUNTERSIGN_HOSTED_URL, else the profile]' },
  CA_FILE_FLAG,
]

interface HostedApi {
  readonly url: string
  readonly fetch: typeof globalThis.fetch
}

/** Where the hosted API is and whom to trust there. Never guessed: a flag, the environment or the profile says it. */
function findHostedApi(call: Call): HostedApi {
  const { flags, env, terminal } = call
  const profile = findProfile(env, getProfileName(call))
  const [source, named] =
    [
      ['--hosted-url', flags['hosted-url']],
      ['environment COUNTERSIGN_HOSTED_URL', env.COUNTERSIGN_HOSTED_URL || undefined],
      ['profile', profile?.url],
    ].find(([, value]) => typeof value === 'string') ?? []
  if (typeof named !== 'string') {
    throw new CliError('nothing says where the hosted API is', {
      hint: 'name it with --hosted-url or COUNTERSIGN_HOSTED_URL, or log in',
      exitCode: EXIT.notSignedIn,
    })
  }
  const { href: url } = parseControllerUrl(named)
  const file = flags['ca-file']
  const caPem = typeof file === 'string' ? loadTextFile(file) : url === profile?.url ? profile.caPem : undefined
  terminal.debug(`hosted API: ${url} (${String(source)})`)
  return { url, fetch: createTrustingFetch({ origin: url, caPem }) }
}

/** Gives access tokens of an account: kept ones while they are fresh, else new ones. */
function openTokenSource(call: Call, caller: Caller, { url, fetch }: HostedApi): TokenSource {
  if (!('credentials' in caller)) {
    throw usageError('a token is bought with a credentials file', 'name one with --credentials FILE')
  }
  const options = { credentials: caller.credentials, hostedUrl: url, fetch, store: createTokenCache(call) }
  return new TokenSource(options)
}

/** An access token of the account of the call. */
export async function getAccessToken(call: Call): Promise<string> {
  const caller = await findCaller(call)
  if ('token' in caller) return caller.token
  const source = openTokenSource(call, caller, findHostedApi(call))
  return withProgress(call.terminal, 'waiting for the identity provider…', source.getToken())
}

/** Does work with the hosted API as whoever the credentials name. */
export async function withHosted<T>(call: Call, work: (client: HostedClient) => Promise<T>): Promise<T> {
  const caller = await findCaller(call)
  const api = findHostedApi(call)
  const shown =
    'credentials' in caller
      ? { credentials: openTokenSource(call, caller, api) }
      : 'token' in caller
        ? { token: caller.token }
        : { session: caller.session }
  const client = new HostedClient({ baseUrl: api.url, fetch: api.fetch, ...shown })
  return withProgress(call.terminal, `waiting for ${api.url}…`, work(client))
}
