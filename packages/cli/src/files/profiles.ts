import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { CliError, EXIT, usageError } from '../cli-error.ts'
import type { Call } from '../command.ts'
import type { SecondJwt } from '../session/second-jwt.ts'
import { readPrivateFile, writePrivateFileIn } from './private-file.ts'
import { findConfigFolder } from './user-folders.ts'

/** A saved login. It contains the session, so its file is private. */
export interface Profile {
  readonly url: string
  /** The CA that the controller's certificate must chain to; unset: the CAs of this machine. */
  readonly caPem?: string
  /** The token of the session. */
  readonly session?: string
  /** `password`, `cert`, `ext-jwt` or `credentials`. */
  readonly method?: string
  readonly identity?: { readonly id: string; readonly name: string }
  /** The source of the second token, which is sent with the session on every call. */
  readonly secondJwt?: SecondJwt
  /** The file of the key that the session is bound to. */
  readonly dpopKey?: string
  /** The credentials file of an API account. */
  readonly credentials?: string
}

const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/

/** `--profile`, else COUNTERSIGN_PROFILE, else `default`. */
export function getProfileName({ flags, env }: Pick<Call, 'flags' | 'env'>): string {
  const name = String(flags.profile ?? (env.COUNTERSIGN_PROFILE || 'default'))
  if (!NAME.test(name))
    throw usageError(`"${name}" is not a valid profile name`, 'use letters, digits, ".", "_" and "-"')
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
    // Reported below.
  }
  throw new CliError(`the profile "${name}" cannot be read`, {
    hint: `remove ${profilePath(env, name)} and log in again`,
  })
}

/** The profile of a call. Throws when it does not exist. */
export function getProfile(call: Pick<Call, 'flags' | 'env'>): { readonly name: string; readonly profile: Profile } {
  const name = getProfileName(call)
  const profile = findProfile(call.env, name)
  if (profile) return { name, profile }
  const known = listProfiles(call.env)
  const others = known.length > 0 ? `; existing profiles: ${known.join(', ')}` : ''
  throw new CliError(name === 'default' ? 'you are not logged in' : `there is no profile "${name}"`, {
    hint: `run: countersign login URL${name === 'default' ? '' : ` --profile ${name}`}${others}`,
    exitCode: EXIT.notLoggedIn,
  })
}

/** Writes a profile atomically. */
export function saveProfile(env: Call['env'], name: string, profile: Profile): void {
  writePrivateFileIn(profilePath(env, name), `${JSON.stringify(profile, null, 2)}\n`)
}

export function removeProfile(env: Call['env'], name: string): void {
  rmSync(profilePath(env, name), { force: true })
}

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
