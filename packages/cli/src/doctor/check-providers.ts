import { BrowserLogin, type ClientSigner, ControllerClient } from '@countersign/sdk'
import type { Profile } from '../files/profiles.ts'
import { createTrustingFetch } from '../net/trusting-fetch.ts'
import { toExplained } from '../to-explained.ts'
import type { Finding } from './finding.ts'

const TIMEOUT_MS = 10_000
const MAX_PROVIDERS = 20
/** Where a login would come back to; none is begun. */
const REDIRECT_URI = 'http://127.0.0.1/callback'

/** Whether this machine reaches the providers that people sign in at; the controller reaches them by ways of its own. */
export async function checkProviders({ url, caPem }: Profile): Promise<Finding[]> {
  const fetch = createTrustingFetch({ origin: url, caPem })
  const signers = await new ControllerClient({ baseUrl: url, fetch }).listClientSigners()
  const people = signers.filter((one) => one.clientId && (one.openIdConfigurationUrl || one.externalAuthUrl))
  return Promise.all(people.slice(0, MAX_PROVIDERS).map((signer) => checkProvider(signer, fetch)))
}

async function checkProvider(signer: ClientSigner, fetch: typeof globalThis.fetch): Promise<Finding> {
  const check = `provider of ${signer.name}`
  try {
    const options = { signer, fetch, redirectUri: REDIRECT_URI, retries: 0, timeoutMs: TIMEOUT_MS }
    const { origin } = new URL((await BrowserLogin.start(options)).url)
    return { check, ok: true, says: `${origin} answers, and people can sign in there` }
  } catch (error) {
    const { message } = toExplained(error) as Error
    const hint = 'is it running, does this machine reach it, and is the signer’s openIdConfigurationUrl right?'
    return { check, ok: false, says: message, hint }
  }
}
