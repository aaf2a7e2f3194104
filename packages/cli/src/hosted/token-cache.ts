import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { AccessToken, TokenKey, TokenStore } from '@countersign/sdk'
import { CliError } from '../cli-error.ts'
import type { Call } from '../command.ts'
import { withFileLock } from '../files/file-lock.ts'
import { ensurePrivateFolder, readPrivateFile, writePrivateFileIn } from '../files/private-file.ts'
import { findCacheFolder } from '../files/user-folders.ts'
import { findSystemErrorWords } from '../system-error.ts'

/**
 * Keeps access tokens in files, one for each account, since providers count and charge for them. Of several processes that need
 * one at the same time, also after a refusal, one buys it.
 */
export function createTokenCache({ env, terminal }: Pick<Call, 'env' | 'terminal'>): TokenStore {
  const pathOf = (key: TokenKey) => `${buildBasePath(env, key)}.json`
  let isUsable = true
  /** A cache that cannot be used costs a token, not the command; but its owner should know. */
  const giveUp = (error: unknown): void => {
    isUsable = false
    const why = error instanceof CliError ? error.message : findSystemErrorWords(error)
    terminal.note(`the token is not kept: ${why ?? String(error)}`)
  }
  const attempt = <Result>(work: () => Result): Result | undefined => {
    if (!isUsable) return undefined
    try {
      return work()
    } catch (error) {
      giveUp(error)
      return undefined
    }
  }
  return {
    async load(key) {
      const kept = parseToken(attempt(() => readPrivateFile(pathOf(key))))
      if (kept) terminal.debug('there is a kept token')
      return kept
    },
    async save(key, token) {
      attempt(() => writePrivateFileIn(pathOf(key), `${JSON.stringify(token)}\n`))
    },
    async exclusively(key, work) {
      attempt(() => ensurePrivateFolder(join(findCacheFolder(env), 'tokens')))
      return isUsable ? withFileLock(`${buildBasePath(env, key)}.lock`, work, giveUp) : work()
    },
  }
}

/** What was kept; undefined for what cannot be read as that, which the next token replaces. */
function parseToken(text: string | undefined): AccessToken | undefined {
  try {
    const kept = JSON.parse(text ?? 'null') as Partial<AccessToken> | null
    const { token, obtainedAt, expiresInSeconds } = kept ?? {}
    if (typeof token !== 'string' || typeof obtainedAt !== 'number' || typeof expiresInSeconds !== 'number')
      return undefined
    return { token, obtainedAt, expiresInSeconds }
  } catch {
    return undefined
  }
}

function buildBasePath(env: Call['env'], { authenticationUrl, clientId, purpose }: TokenKey): string {
  const name = createHash('sha256').update([authenticationUrl, clientId, purpose].join('\0')).digest('hex').slice(0, 32)
  return join(findCacheFolder(env), 'tokens', name)
}
