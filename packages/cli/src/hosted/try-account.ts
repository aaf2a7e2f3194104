import { type Credentials, findBoundKey, HostedClient, TokenSource } from '@countersign/sdk'
import type { Call } from '../command.ts'
import { warnUnlessBound } from '../files/dpop-keys.ts'
import { createTrustingFetch, type Trust } from '../net/trusting-fetch.ts'
import { withProgress } from '../with-progress.ts'
import { createTokenCache } from './token-cache.ts'

/**
 * Tries credentials at their provider and at the hosted API. Returns their identity. Does not use a cached token, which would prove nothing
 * about the password, but replaces it.
 */
export async function tryAccount(
  call: Call,
  { origin: url, caPem, dpop }: Pick<Trust, 'origin' | 'caPem' | 'dpop'>,
  credentials: Credentials,
): Promise<{ readonly id: string; readonly name: string }> {
  const fetch = createTrustingFetch({ origin: url, caPem, dpop })
  const store = { ...createTokenCache(call, dpop), load: async () => undefined }
  const source = new TokenSource({ credentials, hostedUrl: url, fetch, store })
  const client = new HostedClient({ baseUrl: url, fetch, credentials: source })
  const account = await withProgress(call.terminal, `waiting for ${url}…`, client.self())
  warnUnlessBound(call, { what: 'the access token', boundKey: findBoundKey(await source.getToken()), dpop })
  return account
}
