import { HostedClient, TokenSource } from '@countersign/sdk'
import { CliError, EXIT, usageError } from '../cli-error.ts'
import type { Call } from '../command.ts'
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
  readonly fetch: typeof globalThis.fetch
}

/** The hosted API of the call. Throws when its address is not known. */
export function openHostedApi(call: Call): HostedApi {
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
  return { url, caPem, fetch: createTrustingFetch({ origin: url, caPem }) }
}

/** The CA of `--ca-file`, else of the profile for its own address, else of COUNTERSIGN_CA_FILE. Undefined: the CAs of this machine. */
export function loadCa({ flags, env }: Pick<Call, 'flags' | 'env'>, url: string): string | undefined {
  const { 'ca-file': file } = flags
  if (typeof file === 'string') return loadCertificateFile(file).pem
  const profile = findProfile(env, getProfileName({ flags, env }))
  if (profile?.caPem !== undefined && url === profile.url) return profile.caPem
  return env.COUNTERSIGN_CA_FILE ? loadCertificateFile(env.COUNTERSIGN_CA_FILE).pem : undefined
}

/** The tokens of the caller's API account. Throws when the caller has no credentials. */
export function openTokenSource(call: Call, caller: Caller, { url, fetch }: HostedApi): TokenSource {
  if (!('credentials' in caller)) {
    throw usageError('an access token requires a credentials file', 'name one with --credentials FILE')
  }
  const options = { credentials: caller.credentials, hostedUrl: url, fetch, store: createTokenCache(call) }
  return new TokenSource(options)
}

/** A client of the hosted API with the caller's credentials. */
export function createHostedClient(call: Call, caller: Caller, api: HostedApi): HostedClient {
  const authorization =
    'credentials' in caller
      ? { credentials: openTokenSource(call, caller, api) }
      : 'token' in caller
        ? { token: caller.token }
        : { session: caller.session }
  return new HostedClient({ baseUrl: api.url, fetch: api.fetch, ...authorization })
}
