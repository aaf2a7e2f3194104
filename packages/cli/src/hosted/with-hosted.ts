import { ControllerClient, HostedClient, TokenSource } from '@countersign/sdk'
import { CliError, EXIT, usageError } from '../cli-error.ts'
import type { Call, Flag } from '../command.ts'
import { loadCertificateFile } from '../files/load-certificate-file.ts'
import { findProfile, getProfileName } from '../files/profiles.ts'
import { createTrustingFetch } from '../net/trusting-fetch.ts'
import { CA_FILE_FLAG, CREDENTIALS_FLAG, SHARED_FLAGS } from '../session/call-flags.ts'
import { parseControllerUrl } from '../session/controller-url.ts'
import { explainUnauthorized } from '../session/with-controller.ts'
import { withProgress } from '../with-progress.ts'
import { type Caller, findCaller } from './find-caller.ts'
import { createTokenCache } from './token-cache.ts'

/** The flags of all commands for the hosted API. */
export const HOSTED_FLAGS: readonly Flag[] = [
  ...SHARED_FLAGS,
  CREDENTIALS_FLAG,
  { name: 'hosted-url', value: 'URL', description: 'The hosted API [$COUNTERSIGN_HOSTED_URL, else the profile]' },
  CA_FILE_FLAG,
]

interface HostedAddress {
  readonly url: string
  /** Where the address was found. */
  readonly source: string
}

/** Finds the address of the hosted API in the flags, the environment or the profile. It is never guessed. */
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

/** Throws when the address is not known. */
function openHostedApi(call: Call, address: HostedAddress | undefined): HostedApi {
  if (!address) {
    throw new CliError('the address of the hosted API is not known', {
      hint: 'name it with --hosted-url or COUNTERSIGN_HOSTED_URL, or log in',
      exitCode: EXIT.notLoggedIn,
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

function openTokenSource(call: Call, caller: Caller, { url, fetch }: HostedApi): TokenSource {
  if (!('credentials' in caller)) {
    throw usageError('an access token requires a credentials file', 'name one with --credentials FILE')
  }
  const options = { credentials: caller.credentials, hostedUrl: url, fetch, store: createTokenCache(call) }
  return new TokenSource(options)
}

export async function getAccessToken(call: Call): Promise<string> {
  const address = findHostedAddress(call)
  const caller = await findCaller(call, address?.url)
  if ('token' in caller) return caller.token
  const source = openTokenSource(call, caller, openHostedApi(call, address))
  return withProgress(call.terminal, 'waiting for the identity provider…', source.getToken())
}

/** Runs `work` with a client of the hosted API. `about` names the caller and the address. */
export async function withHosted<T>(
  call: Call,
  work: (client: HostedClient, about: { readonly url: string; readonly caller: Caller }) => Promise<T>,
): Promise<T> {
  const address = findHostedAddress(call)
  const caller = await findCaller(call, address?.url)
  const api = openHostedApi(call, address)
  const { url, fetch } = api
  const authorization =
    'credentials' in caller
      ? { credentials: openTokenSource(call, caller, api) }
      : 'token' in caller
        ? { token: caller.token }
        : { session: caller.session }
  const running = work(new HostedClient({ baseUrl: url, fetch, ...authorization }), { url, caller })
  const explained = 'session' in caller ? explainHostedUnauthorized(call, api, caller.session, running) : running
  return withProgress(call.terminal, `waiting for ${url}…`, explained)
}

/** The hosted API accepts no second token beside a session, since it would authenticate by that token alone. */
function explainHostedUnauthorized<T>(call: Call, api: HostedApi, session: string, work: Promise<T>): Promise<T> {
  const controller = new ControllerClient({ baseUrl: api.url, fetch: api.fetch, session })
  return explainUnauthorized(call, controller, work, (typeId) => (typeId === 'EXT-JWT' ? noSecondTokens() : undefined))
}

function noSecondTokens(): CliError {
  return new CliError('your policy requires a second token on every call, which the hosted API does not accept', {
    hint: 'use an API account: name its credentials file with --credentials or COUNTERSIGN_CREDENTIALS',
    exitCode: EXIT.notLoggedIn,
  })
}
