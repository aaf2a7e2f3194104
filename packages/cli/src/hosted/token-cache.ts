import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { AccessToken, DpopKey, TokenKey, TokenStore } from '@countersign/sdk'
import { CliError } from '../cli-error.ts'
import type { Call } from '../command.ts'
import { describeSystemError } from '../describe-system-error.ts'
import { withFileLock } from '../files/file-lock.ts'
import { ensurePrivateFolder, readPrivateFile, writePrivateFileIn } from '../files/private-file.ts'
import { findCacheFolder } from '../files/user-folders.ts'

/**
 * Caches access tokens in files, one per account and key that they are bound to, because providers meter and charge for them. When several processes need one at the same
 * time, also after a refusal, only one requests it.
 */
export function createTokenCache({ env, terminal }: Pick<Call, 'env' | 'terminal'>, dpop?: DpopKey): TokenStore {
  const basePathOf = (key: TokenKey) => buildBasePath(env, key, dpop)
  const pathOf = (key: TokenKey) => `${basePathOf(key)}.json`
  let isUsable = true
  /** Without the cache the command still works, but requests a token each time, so the user is informed. */
  const disable = (error: unknown): void => {
    isUsable = false
    const reason = error instanceof CliError ? error.message : describeSystemError(error)
    terminal.note(`the token is not cached: ${reason ?? String(error)}`)
  }
  const attempt = <Result>(work: () => Result): Result | undefined => {
    if (!isUsable) return undefined
    try {
      return work()
    } catch (error) {
      disable(error)
      return undefined
    }
  }
  return {
    async load(key) {
      const cached = parseToken(attempt(() => readPrivateFile(pathOf(key))))
      if (cached) terminal.debug('found a cached token')
      return cached
    },
    async save(key, token) {
      attempt(() => writePrivateFileIn(pathOf(key), `${JSON.stringify(token)}\n`))
    },
    async exclusively(key, work) {
      attempt(() => ensurePrivateFolder(join(findCacheFolder(env), 'tokens')))
      return isUsable ? withFileLock(`${basePathOf(key)}.lock`, work, disable) : work()
    },
  }
}

/** Undefined for an invalid file, which the next token replaces. */
function parseToken(text: string | undefined): AccessToken | undefined {
  try {
    const cached = JSON.parse(text ?? 'null') as Partial<AccessToken> | null
    const { token, obtainedAt, expiresInSeconds } = cached ?? {}
    if (typeof token !== 'string' || typeof obtainedAt !== 'number' || typeof expiresInSeconds !== 'number')
      return undefined
    return { token, obtainedAt, expiresInSeconds }
  } catch {
    return undefined
  }
}

function buildBasePath(env: Call['env'], { authenticationUrl, clientId, purpose }: TokenKey, dpop?: DpopKey): string {
  const parts = [authenticationUrl, clientId, purpose, ...(dpop ? [dpop.thumbprint] : [])]
  const name = createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 32)
  return join(findCacheFolder(env), 'tokens', name)
}
