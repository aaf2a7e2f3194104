import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { CliError, EXIT, usageError } from '../cli-error.ts'
import type { Call } from '../command.ts'
import type { SecondJwt } from '../session/second-jwt.ts'
import { readPrivateFile, writePrivateFileIn } from './private-file.ts'
import { findConfigFolder } from './user-folders.ts'

/** Where somebody has signed in. The session is a secret; the file is for its owner only. */
export interface Profile {
  readonly url: string
  /** What the controller's certificate must lead to; unset: what this machine trusts anyway. */
  readonly caPem?: string
  /** The token of the session. */
  readonly session?: string
  /** `password`, `cert`, `ext-jwt` or `credentials`. */
  readonly method?: string
  readonly identity?: { readonly id: string; readonly name: string }
  /** Where the token comes from that goes with every call beside the session. */
  readonly secondJwt?: SecondJwt
  /** The credentials file of an API account. */
  readonly credentials?: string
}

const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/

/** The profile that a call is about: `--profile`, else COUNTERSIGN_PROFILE, else `default`. */
export function getProfileName({ flags, env }: Pick<Call, 'flags' | 'env'>): string {
  const name = String(flags.profile ?? (env.COUNTERSIGN_PROFILE || 'default'))
  if (!NAME.test(name)) throw usageError(`"${name}" is no name for a profile`, 'use letters, digits, ".", "_" and "-"')
  return name
}

/** Reads a profile; undefined when there is none. */
export function findProfile(env: Call['env'], name: string): Profile | undefined {
  const text = readPrivateFile(profilePath(env, name))
  if (text === undefined) return undefined
  try {
    const profile = JSON.parse(text) as Profile
    if (typeof profile.url === 'string') return profile
  } catch {
    // Told below.
  }
  throw new CliError(`the profile "${name}" cannot be read`, {
    hint: `remove ${profilePath(env, name)} and log in again`,
  })
}

/** The profile of a call. Throws when nobody has signed in under that name. */
export function getProfile(call: Pick<Call, 'flags' | 'env'>): { readonly name: string; readonly profile: Profile } {
  const name = getProfileName(call)
  const profile = findProfile(call.env, name)
  if (profile) return { name, profile }
  const known = listProfiles(call.env)
  const others = known.length > 0 ? `; there are: ${known.join(', ')}` : ''
  throw new CliError(name === 'default' ? 'you are not signed in' : `there is no profile "${name}"`, {
    hint: `run: countersign login URL${name === 'default' ? '' : ` --profile ${name}`}${others}`,
    exitCode: EXIT.notSignedIn,
  })
}

/** Writes a profile, whole or not at all. */
export function saveProfile(env: Call['env'], name: string, profile: Profile): void {
  writePrivateFileIn(profilePath(env, name), `${JSON.stringify(profile, null, 2)}\n`)
}

/** Forgets a profile. */
export function removeProfile(env: Call['env'], name: string): void {
  rmSync(profilePath(env, name), { force: true })
}

/** The names of all profiles. */
export function listProfiles(env: Call['env']): string[] {
  try {
    const files = readdirSync(join(findConfigFolder(env), 'profiles'))
    return files.flatMap((file) => (file.endsWith('.json') ? [file.slice(0, -'.json'.length)] : [])).sort()
  } catch {
    return []
  }
}

function profilePath(env: Call['env'], name: string): string {
  return join(findConfigFolder(env), 'profiles', `${name}.json`)
}
