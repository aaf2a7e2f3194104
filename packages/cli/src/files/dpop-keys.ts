import { join, resolve } from 'node:path'
import { DpopKey, findBoundKey, type PrivateJwk } from '@countersign/sdk'
import { CliError, usageError } from '../cli-error.ts'
import type { Call, Flag } from '../command.ts'
import { readPrivateFile, writePrivateFileIn } from './private-file.ts'
import { findConfigFolder } from './user-folders.ts'

export const DPOP_KEY_FLAG: Flag = {
  name: 'dpop-key',
  value: 'FILE',
  description: 'Like --dpop, with the private key in this file (JWK, EC P-256)',
}

/** The file of the key that `--dpop` proves possession of, created when it does not exist. Undefined without the flag. */
export function ensureDpopKey(
  { flags, env }: Pick<Call, 'flags' | 'env'>,
  profile: string,
): Promise<string> | undefined {
  const given = flags['dpop-key']
  if (typeof given === 'string') return Promise.resolve(resolve(given))
  return flags.dpop === true ? ensureKeyOf(env, profile) : undefined
}

/** The key of a profile stays the same: tokens that were requested before are bound to it. */
async function ensureKeyOf(env: Call['env'], profile: string): Promise<string> {
  const path = join(findConfigFolder(env), 'dpop', `${profile}.json`)
  if (readPrivateFile(path) === undefined)
    writePrivateFileIn(path, `${JSON.stringify(await DpopKey.generate(), null, 2)}\n`)
  return path
}

/** A key with which requests are proved, and as its file has it. */
export interface LoadedDpopKey {
  readonly key: DpopKey
  readonly jwk: PrivateJwk
}

/** Throws when the file does not exist, is readable by others, or has no key that can be used. */
export async function loadDpopKey(path: string): Promise<LoadedDpopKey> {
  const text = readPrivateFile(path)
  const hint = 'log in again with --dpop'
  if (text === undefined) throw new CliError(`the DPoP key ${path} does not exist`, { hint })
  try {
    const jwk = JSON.parse(text) as PrivateJwk
    return { key: await DpopKey.from(jwk), jwk }
  } catch (error) {
    throw new CliError(`the DPoP key ${path} cannot be used: it must be a private JWK, EC P-256`, {
      hint,
      cause: error,
    })
  }
}

/** The key of a profile by its file; undefined when its login was without `--dpop`. Throws like `loadDpopKey`. */
export async function loadProfileKey(path: string | undefined): Promise<DpopKey | undefined> {
  return path === undefined ? undefined : (await loadDpopKey(path)).key
}

/** Warns of a login with `--dpop` that has bound nothing: a thief could use what it saves. */
export function warnUnlessBound(
  { terminal }: Pick<Call, 'terminal'>,
  { what, boundKey, dpop }: { what: string; boundKey: string | null | undefined; dpop: DpopKey | undefined },
): void {
  if (!dpop || boundKey === dpop.thumbprint) return
  terminal.notice(
    `warning: ${what} is not bound to the key of --dpop: only a token of a provider that supports DPoP is`,
  )
}

/** Throws when a token is bound to a key that is not this one: every controller refuses it. */
export function checkBoundKey(token: string, key: DpopKey | undefined): void {
  const bound = findBoundKey(token)
  if (bound === undefined || bound === key?.thumbprint) return
  const hint = `name the file of the key with the thumbprint ${bound}: --dpop-key FILE`
  throw usageError(key ? 'the token is bound to another key' : 'the token is bound to a key (DPoP)', hint)
}
