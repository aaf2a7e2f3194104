import { type Credentials, type DpopKey, HostedClient, TokenSource } from '@countersign/sdk'
import { CliError, EXIT, usageError } from '../cli-error.ts'
import type { Call } from '../command.ts'
import { loadProfileKey } from '../files/dpop-keys.ts'
import { loadCertificateFile } from '../files/load-certificate-file.ts'
import { findProfile, getProfileName } from '../files/profiles.ts'
import { createTrustingFetch } from '../net/trusting-fetch.ts'
import { parseControllerUrl } from '../session/controller-url.ts'
import type { Caller } from './find-caller.ts'
import { createTokenCache } from './token-cache.ts'

interface HostedAddress {
  readonly url: string
  /** Where the address was found. */
  readonly source: string
}

/** Finds the address of the hosted API in the flags, the environment or the profile. It is never guessed. */
export function findHostedAddress(call: Pick<Call, 'flags' | 'env'>): HostedAddress | undefined {
  const { flags, env } = call
  const [source, named] =
    [
      ['--hosted-url', flags['hosted-url']],
      ['environment COUNTERSIGN_HOSTED_URL', env.COUNTERSIGN_HOSTED_URL || undefined],
      ['profile', findProfile(env, getProfileName(call))?.url],
    ].find(([, value]) => typeof value === 'string') ?? []
  return typeof named === 'string' ? { url: parseControllerUrl(named).href, source: String(source) } : undefined
}

/** An address with the `fetch` that trusts its CA. */
export interface HostedApi {
  readonly url: string
  readonly caPem: string | undefined
  /** The key of the profile, with which `fetch` proves tokens and the session. */
  readonly dpop: DpopKey | undefined
  readonly fetch: typeof globalThis.fetch
}

/** The hosted API of the call. Throws when its address is not known. */
export async function openHostedApi(call: Call): Promise<HostedApi> {
  const address = findHostedAddress(call)
  if (!address) {
    throw new CliError('the address of the hosted API is not known', {
      hint: 'name it with --hosted-url or COUNTERSIGN_HOSTED_URL, or log in',
      exitCode: EXIT.notLoggedIn,
    })
  }
  const { url, source } = address
  const caPem = loadCa(call, url)
  call.terminal.debug(`hosted API: ${url} (${source})`)
  const profile = findProfile(call.env, getProfileName(call))
  const dpop = await loadProfileKey(profile?.url === url ? profile.dpopKey : undefined)
  return { url, caPem, dpop, fetch: createTrustingFetch({ origin: url, caPem, dpop }) }
}

/** The CA of `--ca-file`, else of the profile for its own address, else of COUNTERSIGN_CA_FILE. Undefined: the CAs of this machine. */
export function loadCa({ flags, env }: Pick<Call, 'flags' | 'env'>, url: string): string | undefined {
  const { 'ca-file': file } = flags
  if (typeof file === 'string') return loadCertificateFile(file).pem
  const profile = findProfile(env, getProfileName({ flags, env }))
  if (profile?.caPem !== undefined && url === profile.url) return profile.caPem
  return env.COUNTERSIGN_CA_FILE ? loadCertificateFile(env.COUNTERSIGN_CA_FILE).pem : undefined
}

/** The tokens of an API account, which are cached. */
function openTokenSource(call: Call, credentials: Credentials, { url, fetch, dpop }: HostedApi): TokenSource {
  return new TokenSource({ credentials, hostedUrl: url, fetch, store: createTokenCache(call, dpop) })
}

/** A client of the hosted API with the caller's credentials. */
export function createHostedClient(call: Call, caller: Caller, api: HostedApi): HostedClient {
  const authorization =
    'credentials' in caller
      ? { credentials: openTokenSource(call, caller.credentials, api) }
      : 'token' in caller
        ? { token: caller.token }
        : { session: caller.session }
  return new HostedClient({ baseUrl: api.url, fetch: api.fetch, ...authorization })
}

/** The caller's current access token. Throws for a session, which is none. */
export async function loadAccessToken(call: Call, caller: Caller, openApi: () => Promise<HostedApi>): Promise<string> {
  if ('credentials' in caller) return openTokenSource(call, caller.credentials, await openApi()).getToken()
  if ('token' in caller) return typeof caller.token === 'string' ? caller.token : caller.token()
  throw usageError('an access token requires an API account', 'name a credentials file with --credentials FILE')
}
