import type { Call } from '../command.ts'
import type { Profile } from '../files/profiles.ts'
import { findCaller } from '../hosted/find-caller.ts'
import { tryAccount } from '../hosted/try-account.ts'
import { findHostedAddress, withHosted } from '../hosted/with-hosted.ts'
import { toCliError } from '../to-cli-error.ts'
import type { Finding } from './finding.ts'

/** Whether the provider issues a token for the API account, and whether the hosted API accepts it. */
export async function checkAccount(call: Call, profile: Profile): Promise<Finding> {
  const check = 'API account'
  try {
    return { check, ok: true, says: await tryCaller(call, profile) }
  } catch (error) {
    const { message, hint } = toCliError(error) as Error & { readonly hint?: string }
    return { check, ok: false, says: message, hint }
  }
}

async function tryCaller(call: Call, profile: Profile): Promise<string> {
  const origin = findHostedAddress(call)?.url ?? profile.url
  const caller = await findCaller(call, origin)
  if (!('credentials' in caller)) {
    const { name } = await withHosted(call, (client) => client.self())
    return `the hosted API accepts ${name}`
  }
  const caPem = origin === profile.url ? profile.caPem : undefined
  const { name } = await tryAccount(call, { origin, caPem }, caller.credentials)
  return `the provider issues a token, and the hosted API accepts it as ${name}`
}
