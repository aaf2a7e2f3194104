import { join, resolve } from 'node:path'
import { DpopKey } from '@countersign/sdk'
import { CliError } from '../cli-error.ts'
import type { Call } from '../command.ts'
import { readPrivateFile, writePrivateFileIn } from './private-file.ts'
import { findConfigFolder } from './user-folders.ts'

/** The file of the key that a login with `--dpop` binds its session to, created when it does not exist. Undefined without the flag. */
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

/** Throws when the file does not exist, is readable by others, or has no key that can be used. */
export async function loadDpopKey(path: string): Promise<DpopKey> {
  const text = readPrivateFile(path)
  const hint = 'log in again with --dpop'
  if (text === undefined) throw new CliError(`the DPoP key ${path} does not exist`, { hint })
  try {
    return await DpopKey.from(JSON.parse(text))
  } catch (error) {
    throw new CliError(`the DPoP key ${path} cannot be used: it must be a private JWK, EC P-256`, {
      hint,
      cause: error,
    })
  }
}
