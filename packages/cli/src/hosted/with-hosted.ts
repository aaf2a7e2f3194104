import { ControllerClient, HostedClient, TokenSource } from '@countersign/sdk'
import { CliError, EXIT, usageError } from '../cli-error.ts'
import type { Call, Flag } from '../command.ts'
import { loadCertificateFile } from '../files/load-certificate-file.ts'
import { findProfile, getProfileName } from '../files/profiles.ts'
import { createTrustingFetch } from '../net/trusting-fetch.ts'
import { CA_FILE_FLAG, CREDENTIALS_FLAG, SHARED_FLAGS } from '../session/call-flags.ts'
import { parseControllerUrl } from '../session/controller-url.ts'
import { guardSession } from '../session/with-controller.ts'
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

interface HostedAddress {
  readonly url: string
  /** What says so. */
  readonly source: string
}

/** Where the hosted API is. Never guessed: a flag, the environment or the profile says it. */
export function findHostedAddress(call: Call): HostedAddress | undefined {
  const { flags, env } = call
  const [source, named] =
    [
      ['--hosted-url', flags['hosted-url']],
      ['environment COUNTERSIGN_HOSTED_URL', env.COUNTERSIGN_HOSTED_URL || undefined],
      ['profile', findProfile(env, getProfileName(call))?.url],
    ].find(([, value]) => typeof value === 'string') ?? []
  return typeof named === 'string' ? { url: parseControllerUrl(named).href, source: String(source) } : undefined
}

interface HostedApi {
  readonly url: string
  readonly fetch: typeof globalThis.fetch
}

/** The hosted API, and whom to trust there. Throws when nothing says where it is. */
function openHostedApi(call: Call, address: HostedAddress | undefined): HostedApi {
  if (!address) {
    throw new CliError('nothing says where the hosted API is', {
      hint: 'name it with --hosted-url or COUNTERSIGN_HOSTED_URL, or log in',
      exitCode: EXIT.notSignedIn,
    })
  }
  const { url, source } = address
  const profile = findProfile(call.env, getProfileName(call))
  const file = call.flags['ca-file']
  const caPem =
    typeof file === 'string' ? loadCertificateFile(file).pem : url === profile?.url ? profile.caPem : undefined
  call.terminal.debug(`hosted API: ${url} (${source})`)
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
  const address = findHostedAddress(call)
  const caller = await findCaller(call, address?.url)
  if ('token' in caller) return caller.token
  const source = openTokenSource(call, caller, openHostedApi(call, address))
  return withProgress(call.terminal, 'waiting for the identity provider…', source.getToken())
}

/** Does work with the hosted API as whoever the credentials name; the work is told who that is, and where. */
export async function withHosted<T>(
  call: Call,
  work: (client: HostedClient, about: { readonly url: string; readonly caller: Caller }) => Promise<T>,
): Promise<T> {
  const address = findHostedAddress(call)
  const caller = await findCaller(call, address?.url)
  const api = openHostedApi(call, address)
  const { url, fetch } = api
  const shown =
    'credentials' in caller
      ? { credentials: openTokenSource(call, caller, api) }
      : 'token' in caller
        ? { token: caller.token }
        : { session: caller.session }
  const doing = work(new HostedClient({ baseUrl: url, fetch, ...shown }), { url, caller })
  const guarded = 'session' in caller ? guardHostedSession(call, api, caller.session, doing) : doing
  return withProgress(call.terminal, `waiting for ${url}…`, guarded)
}

/** What a session lacks is asked of the controller; a second token cannot be shown here, since it would count alone. */
function guardHostedSession<T>(call: Call, api: HostedApi, session: string, work: Promise<T>): Promise<T> {
  const controller = new ControllerClient({ baseUrl: api.url, fetch: api.fetch, session })
  return guardSession(call, controller, work, (typeId) => (typeId === 'EXT-JWT' ? noSecondTokens() : undefined))
}

function noSecondTokens(): CliError {
  return new CliError('your policy wants a second token on every call, which the hosted API does not take', {
    hint: 'use an API account: name its credentials file with --credentials or COUNTERSIGN_CREDENTIALS',
    exitCode: EXIT.notSignedIn,
  })
}
