import type { ControllerClient } from '@countersign/sdk'
import { CliError, EXIT } from '../cli-error.ts'
import type { Call } from '../command.ts'
import { getProfile, type Profile } from '../files/profiles.ts'
import { isSdkError } from '../to-cli-error.ts'
import { readSecondJwt, type SecondJwt } from './second-jwt.ts'
import { withProfileFlag } from './with-profile-flag.ts'

const UNAUTHORIZED = 401

/**
 * Replaces a 401 of `work` with its reason: the session of the profile has ended, lacks a second factor, or its identity lacks the permission.
 * `explainMissing` overrides the error for a missing second factor when logging in again does not help.
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
    if (!isSdkError(error) || error.status !== UNAUTHORIZED) throw error
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

export function notLoggedIn(message: string, name: string, { url }: Profile): CliError {
  const hint = `run: ${withProfileFlag(`countersign login ${url}`, name)}`
  return new CliError(message, { hint, exitCode: EXIT.notLoggedIn })
}

function describeMissing(typeId: string, second: SecondJwt | undefined): string {
  if (typeId === 'MFA') return 'your session lacks its one-time code'
  if (typeId === 'PASSKEY') return 'your policy requires a passkey now, which this command cannot use'
  if (!second) return 'your policy requires a second token on every call, and the profile has none'
  return 'your second token is refused or has expired'
}
