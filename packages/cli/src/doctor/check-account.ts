import type { Call } from '../command.ts'
import { getProfileName } from '../files/profiles.ts'
import type { Caller } from '../hosted/find-caller.ts'
import { createHostedClient, openHostedApi } from '../hosted/hosted-api.ts'
import { tryAccount } from '../hosted/try-account.ts'
import { openController } from '../session/open-controller.ts'
import { toCliError } from '../to-cli-error.ts'
import { checkDemoRecords } from './check-demo-records.ts'
import { checkSigners } from './check-signers.ts'
import type { Finding } from './finding.ts'

/**
 * Whether the provider issues a token for the API account, and whether the hosted API accepts it. With it, as with a session, the keys of the
 * signers and leftovers of `--dev`.
 */
export async function checkAccount(call: Call, caller: Caller): Promise<Finding[]> {
  const account = await attempt('API account', () => tryCaller(call, caller))
  if (!account.ok) return [account]
  let session = ''
  const exchange = await attempt('session', async () => {
    const { client } = await openController(call)
    session = client.session ?? ''
    return 'the controller gives the account a session'
  })
  if (!exchange.ok) return [account, exchange]
  const { client, url } = await openController(call)
  const { fetch } = await openHostedApi(call)
  const signers = await checkSigners(client, getProfileName(call))
  return [account, exchange, ...signers, ...(await checkDemoRecords({ client, url, session, fetch }))]
}

async function attempt(check: string, work: () => Promise<string>): Promise<Finding> {
  try {
    return { check, ok: true, says: await work() }
  } catch (error) {
    const { message, hint } = toCliError(error) as Error & { readonly hint?: string }
    return { check, ok: false, says: message, hint }
  }
}

async function tryCaller(call: Call, caller: Caller): Promise<string> {
  const api = await openHostedApi(call)
  if (!('credentials' in caller)) {
    const { name } = await createHostedClient(call, caller, api).self()
    return `the hosted API accepts ${name} (${caller.source})`
  }
  const { name } = await tryAccount(call, { origin: api.url, caPem: api.caPem, dpop: api.dpop }, caller.credentials)
  return `the provider issues a token, and the hosted API accepts it as ${name} (${caller.source})`
}
