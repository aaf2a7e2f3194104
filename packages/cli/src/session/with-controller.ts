import { ControllerClient } from '@countersign/sdk'
import { CliError, EXIT } from '../cli-error.ts'
import type { Call } from '../command.ts'
import { getProfile, type Profile } from '../files/profiles.ts'
import { createTrustingFetch } from '../net/trusting-fetch.ts'
import { isSdkError } from '../to-explained.ts'
import { withProgress } from '../with-progress.ts'
import { forProfile } from './profile-words.ts'
import { readSecondJwt, type SecondJwt, supplySecondJwt } from './second-jwt.ts'

/** A client of the controller of a profile, with its session and its second token. Throws when there is none. */
export async function openController(
  call: Call,
): Promise<{ readonly client: ControllerClient; readonly profile: Profile }> {
  const { name, profile } = getProfile(call)
  call.terminal.debug(`profile ${name}: ${profile.url}, ${describeLogin(profile)}`)
  if (profile.session === undefined) throw notSignedIn(`you are signed out of ${profile.url}`, name, profile)
  const { origin } = new URL(profile.url)
  const fetch = createTrustingFetch({ origin, caPem: profile.caPem })
  const second = (await readSecondJwt(call)) ?? profile.secondJwt
  const secondaryToken = second && supplySecondJwt(second)
  const { url: baseUrl, session } = profile
  return { client: new ControllerClient({ baseUrl, fetch, session, secondaryToken }), profile }
}

/** Does work with the controller of the profile, and says what is going on when it takes longer than a second. */
export async function withController<T>(
  call: Call,
  work: (client: ControllerClient, profile: Profile) => Promise<T>,
): Promise<T> {
  const { client, profile } = await openController(call)
  return withProgress(call.terminal, `waiting for ${profile.url}…`, guardSession(call, client, work(client, profile)))
}

/**
 * A 401 says little: asks whether the session has ended, what it lacks, or whether its owner may not do this. `explainLack` has
 * words of its own for what is lacking, where logging in again does not help.
 */
export async function guardSession<T>(
  call: Call,
  client: ControllerClient,
  work: Promise<T>,
  explainLack: (typeId: string) => CliError | undefined = () => undefined,
): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!isSdkError(error) || error.status !== 401) throw error
    const session = await client.currentSession().catch(() => undefined)
    const { name, profile } = getProfile(call)
    if (!session) throw notSignedIn(`your session at ${profile.url} has ended`, name, profile)
    const [lacking] = session.authQueries
    const second = (await readSecondJwt(call)) ?? profile.secondJwt
    if (lacking) throw explainLack(lacking.typeId) ?? notSignedIn(describeLack(lacking.typeId, second), name, profile)
    throw new CliError(`${session.identity.name} may not do that`, {
      hint: 'an administrator can give the permission',
      exitCode: EXIT.refused,
      cause: error,
    })
  }
}

function notSignedIn(message: string, name: string, { url }: Profile): CliError {
  const hint = `run: ${forProfile(`countersign login ${url}`, name)}`
  return new CliError(message, { hint, exitCode: EXIT.notSignedIn })
}

function describeLack(typeId: string, second: SecondJwt | undefined): string {
  if (typeId === 'MFA') return 'your session lacks its one-time code'
  if (!second) return 'your policy wants a second token on every call, and the profile knows none'
  return 'your second token is refused, or has ended'
}

function describeLogin({ identity, method, session }: Profile): string {
  return session === undefined
    ? 'not signed in'
    : `signed in as ${identity?.name ?? 'somebody'} by ${method ?? 'session'}`
}
