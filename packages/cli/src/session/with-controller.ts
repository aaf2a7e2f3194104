import { ControllerClient } from '@countersign/sdk'
import { CliError, EXIT } from '../cli-error.ts'
import type { Call } from '../command.ts'
import { getProfile, type Profile } from '../files/profiles.ts'
import { createTrustingFetch } from '../net/trusting-fetch.ts'
import { isSdkError } from '../to-cli-error.ts'
import { withProgress } from '../with-progress.ts'
import { readSecondJwt, type SecondJwt, supplySecondJwt } from './second-jwt.ts'
import { withProfileFlag } from './with-profile-flag.ts'

/** A client with the session and second token of the profile. Throws when there is no session. */
export async function openController(
  call: Call,
): Promise<{ readonly client: ControllerClient; readonly profile: Profile }> {
  const { name, profile } = getProfile(call)
  call.terminal.debug(`profile ${name}: ${profile.url}, ${describeLogin(profile)}`)
  if (profile.session === undefined) throw notLoggedIn(`you are logged out of ${profile.url}`, name, profile)
  const { origin } = new URL(profile.url)
  const fetch = createTrustingFetch({ origin, caPem: profile.caPem })
  const second = (await readSecondJwt(call)) ?? profile.secondJwt
  const secondaryToken = second && supplySecondJwt(second)
  const { url: baseUrl, session } = profile
  return { client: new ControllerClient({ baseUrl, fetch, session, secondaryToken }), profile }
}

/** Runs `work` with the controller of the profile. Prints a progress line when it takes longer than a second. */
export async function withController<T>(
  call: Call,
  work: (client: ControllerClient, profile: Profile) => Promise<T>,
): Promise<T> {
  const { client, profile } = await openController(call)
  return withProgress(
    call.terminal,
    `waiting for ${profile.url}…`,
    explainUnauthorized(call, client, work(client, profile)),
  )
}

/**
 * Replaces a 401 of `work` with its reason: the session has ended, lacks a second factor, or its identity lacks the permission. `explainMissing`
 * overrides the error for a missing second factor when logging in again does not help.
 */
export async function explainUnauthorized<T>(
  call: Call,
  client: ControllerClient,
  work: Promise<T>,
  explainMissing: (typeId: string) => CliError | undefined = () => undefined,
): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!isSdkError(error) || error.status !== 401) throw error
    const session = await client.currentSession().catch(() => undefined)
    const { name, profile } = getProfile(call)
    if (!session) throw notLoggedIn(`your session at ${profile.url} has ended`, name, profile)
    const [missing] = session.authQueries
    const second = (await readSecondJwt(call)) ?? profile.secondJwt
    if (missing)
      throw explainMissing(missing.typeId) ?? notLoggedIn(describeMissing(missing.typeId, second), name, profile)
    throw new CliError(`${session.identity.name} is not allowed to do that`, {
      hint: 'ask an administrator for the permission',
      exitCode: EXIT.refused,
      cause: error,
    })
  }
}

function notLoggedIn(message: string, name: string, { url }: Profile): CliError {
  const hint = `run: ${withProfileFlag(`countersign login ${url}`, name)}`
  return new CliError(message, { hint, exitCode: EXIT.notLoggedIn })
}

function describeMissing(typeId: string, second: SecondJwt | undefined): string {
  if (typeId === 'MFA') return 'your session lacks its one-time code'
  if (!second) return 'your policy requires a second token on every call, and the profile has none'
  return 'your second token is refused or has expired'
}

function describeLogin({ identity, method, session }: Profile): string {
  return session === undefined
    ? 'not logged in'
    : `logged in as ${identity?.name ?? 'unknown'} by ${method ?? 'session'}`
}
