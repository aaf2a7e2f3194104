import { resolve } from 'node:path'
import { Credentials, HostedClient, TokenSource } from '@countersign/sdk'
import type { Profile } from '../files/profiles.ts'
import { createTokenCache } from '../hosted/token-cache.ts'
import { createTrustingFetch } from '../net/trusting-fetch.ts'
import { withProgress } from '../with-progress.ts'
import type { LoginAttempt } from './login-methods.ts'

/** Tries an API account at the hosted API and remembers where its credentials file is; the password stays there. */
export async function logInByCredentials({ call, url, caPem }: LoginAttempt): Promise<Omit<Profile, 'url' | 'caPem'>> {
  const file = resolve(String(call.flags.credentials))
  const credentials = await Credentials.fromFile(file)
  const fetch = createTrustingFetch({ origin: url, caPem })
  const source = new TokenSource({ credentials, hostedUrl: url, fetch, store: createTokenCache(call) })
  const client = new HostedClient({ baseUrl: url, fetch, credentials: source })
  const { id, name } = await withProgress(call.terminal, `waiting for ${url}…`, client.self())
  return { method: 'credentials', credentials: file, identity: { id, name } }
}
