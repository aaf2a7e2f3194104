import { ControllerClient } from '@countersign/sdk'
import { CliError, EXIT } from '../cli-error.ts'
import type { Call } from '../command.ts'
import { getProfile, type Profile } from '../files/profiles.ts'
import { createTrustingFetch } from '../net/trusting-fetch.ts'
import { isSdkError } from '../to-explained.ts'
import { withProgress } from '../with-progress.ts'

/** A client of the controller of a profile, with its session. Throws when there is none. */
export function openController(call: Call): { readonly client: ControllerClient; readonly profile: Profile } {
  const { name, profile } = getProfile(call)
  call.terminal.debug(`profile ${name}: ${profile.url}, ${describeLogin(profile)}`)
  if (profile.session === undefined) throw notSignedIn(`you are signed out of ${profile.url}`, name, profile)
  const { origin } = new URL(profile.url)
  const fetch = createTrustingFetch({ origin, caPem: profile.caPem })
  return { client: new ControllerClient({ baseUrl: profile.url, fetch, session: profile.session }), profile }
}

/** Does work with the controller of the profile, and says what is going on when it takes longer than a second. */
export async function withController<T>(
  call: Call,
  work: (client: ControllerClient, profile: Profile) => Promise<T>,
): Promise<T> {
  const { client, profile } = openController(call)
  return withProgress(call.terminal, `waiting for ${profile.url}…`, guardSession(call, client, work(client, profile)))
}

/** A 401 says little: asks whether the session has ended, or whether its owner may not do this. */
export async function guardSession<T>(call: Call, client: ControllerClient, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!isSdkError(error) || error.status !== 401) throw error
    const session = await client.currentSession().catch(() => undefined)
    const { name, profile } = getProfile(call)
    if (!session) throw notSignedIn(`your session at ${profile.url} has ended`, name, profile)
    if (session.authQueries.length > 0) throw notSignedIn('your session lacks its second factor', name, profile)
    throw new CliError(`${session.identity.name} may not do that`, {
      hint: 'an administrator can give the permission',
      exitCode: EXIT.refused,
      cause: error,
    })
  }
}

function notSignedIn(message: string, name: string, { url }: Profile): CliError {
  const hint = `run: countersign login ${url}${name === 'default' ? '' : ` --profile ${name}`}`
  return new CliError(message, { hint, exitCode: EXIT.notSignedIn })
}

function describeLogin({ identity, method, session }: Profile): string {
  return session === undefined
    ? 'not signed in'
    : `signed in as ${identity?.name ?? 'somebody'} by ${method ?? 'session'}`
}
