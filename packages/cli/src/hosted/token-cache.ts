import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { AccessToken, TokenKey, TokenStore } from '@countersign/sdk'
import { CliError } from '../cli-error.ts'
import type { Call } from '../command.ts'
import { withFileLock } from '../files/file-lock.ts'
import { ensurePrivateFolder, readPrivateFile, writePrivateFileIn } from '../files/private-file.ts'
import { findCacheFolder } from '../files/user-folders.ts'

/**
 * Keeps access tokens in files, one for each account, since providers count and charge for them. Of several processes that need
 * one at the same time, also after a refusal, one buys it.
 */
export function createTokenCache({ env, terminal }: Pick<Call, 'env' | 'terminal'>): TokenStore {
  const pathOf = (key: TokenKey) => `${buildBasePath(env, key)}.json`
  /** A cache that cannot be used costs a token, not the command; but its owner should know. */
  const tell = (error: unknown): never => {
    if (error instanceof CliError) terminal.note(`the token is not kept: ${error.message}`)
    throw error
  }
  return {
    async load(key) {
      try {
        const kept = JSON.parse(readPrivateFile(pathOf(key)) ?? 'null') as Partial<AccessToken> | null
        const { token, obtainedAt, expiresInSeconds } = kept ?? {}
        if (typeof token !== 'string' || typeof obtainedAt !== 'number' || typeof expiresInSeconds !== 'number')
          return undefined
        terminal.debug('there is a kept token')
        return { token, obtainedAt, expiresInSeconds }
      } catch (error) {
        return tell(error)
      }
    },
    async save(key, token) {
      try {
        writePrivateFileIn(pathOf(key), `${JSON.stringify(token)}\n`)
      } catch (error) {
        tell(error)
      }
    },
    async exclusively(key, work) {
      ensurePrivateFolder(join(findCacheFolder(env), 'tokens'))
      return withFileLock(`${buildBasePath(env, key)}.lock`, work)
    },
  }
}

function buildBasePath(env: Call['env'], { authenticationUrl, clientId, purpose }: TokenKey): string {
  const name = createHash('sha256').update([authenticationUrl, clientId, purpose].join('\0')).digest('hex').slice(0, 32)
  return join(findCacheFolder(env), 'tokens', name)
}
