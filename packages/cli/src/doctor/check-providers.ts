import { BrowserLogin, type ClientSigner, ControllerClient } from '@countersign/sdk'
import { createTrustingFetch } from '../net/trusting-fetch.ts'
import { toCliError } from '../to-cli-error.ts'
import type { Controller } from './checks.ts'
import type { Finding } from './finding.ts'

const TIMEOUT_MS = 10_000
const MAX_PROVIDERS = 20
/** For building the authorization request only; no login is started. */
const REDIRECT_URI = 'http://127.0.0.1/callback'

/** Whether this machine reaches the providers where people log in. The controller's own connection to them is a separate check. */
export async function checkProviders({ url, caPem }: Controller): Promise<Finding[]> {
  const fetch = createTrustingFetch({ origin: url, caPem })
  const signers = await new ControllerClient({ baseUrl: url, fetch }).listClientSigners()
  const interactive = signers.filter(
    (signer) => signer.clientId && (signer.openIdConfigurationUrl || signer.externalAuthUrl),
  )
  return Promise.all(
    interactive.slice(0, MAX_PROVIDERS).map((signer) => checkProvider(signer, { fetch, controllerUrl: url })),
  )
}

async function checkProvider(
  signer: ClientSigner,
  controller: { readonly fetch: typeof globalThis.fetch; readonly controllerUrl: string },
): Promise<Finding> {
  const check = `provider of ${signer.name}`
  try {
    const options = { signer, ...controller, redirectUri: REDIRECT_URI, retries: 0, timeoutMs: TIMEOUT_MS }
    const { origin } = new URL((await BrowserLogin.start(options)).url)
    return { check, ok: true, says: `${origin} is reachable and supports login` }
  } catch (error) {
    const { message } = toCliError(error) as Error
    const hint = 'check that it is running and reachable from here, and the signer’s openIdConfigurationUrl'
    return { check, ok: false, says: message, hint }
  }
}
