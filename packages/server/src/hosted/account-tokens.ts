import { hash, randomBytes } from 'node:crypto'
import { createLruCache } from '@countersign/core'
import { issueAccountToken } from '../operations/api-account/issue-account-token.ts'
import type { Clock } from '../platform/clock.ts'
import type { OperationMeta } from '../store/operation-meta.ts'
import { type AccountToken, findAccountToken } from '../store/reads/account-token-reads.ts'
import type { Store } from '../store/store.ts'
import { type AccessVerdict, findAccessRefusal, type RefusedAccess } from './access-verdict.ts'
import type { KnownAccounts } from './known-accounts.ts'
import type { ProviderDirectory } from './provider-directory.ts'

interface AccountTokensParts {
  readonly store: Pick<Store, 'db' | 'run'>
  readonly clock: Clock
  readonly accounts: Pick<KnownAccounts, 'federatedOf'>
  readonly providers: Pick<ProviderDirectory, 'find'>
}

/** By the prefix, scanners for leaked secrets recognise a token. */
const PREFIX = 'csat_'
const TOKEN_BYTES = 32
const MAX_REMEMBERED = 10_000

/** Whether a text can be an access token of this controller. No JWT begins so. */
export function isAccountToken(text: string): boolean {
  return text.startsWith(PREFIX)
}

/**
 * Access tokens of this controller for federated accounts. A token is only a handle: the account, its provider record and its organization decide at each
 * use, by their current state. Rows never change, so they are cached.
 */
export class AccountTokens {
  readonly #parts: AccountTokensParts
  readonly #remembered = createLruCache<string, AccountToken>(MAX_REMEMBERED)

  constructor(parts: AccountTokensParts) {
    this.#parts = parts
  }

  /** Issues a token to the actor, a federated account, whose credential is checked again in the transaction. */
  async issue(meta: OperationMeta): Promise<{ readonly token: string; readonly expiresInSeconds: number }> {
    const token = PREFIX + randomBytes(TOKEN_BYTES).toString('base64url')
    const expiresInSeconds = await this.#parts.store.run(issueAccountToken, { digest: digestOf(token) }, meta)
    return { token, expiresInSeconds }
  }

  /** Returns the account of a token, or why it is refused. */
  async verify(token: string): Promise<AccessVerdict> {
    const { clock, accounts, providers } = this.#parts
    const digest = digestOf(token)
    const row = this.#remembered.get(digest) ?? (await this.#load(digest))
    if (!row) return refused('token-unknown')
    const now = clock.now()
    if (now >= row.expiresAt) return refused('token-expired')
    const account = (await accounts.federatedOf(row.organizationId)).byId.get(row.accountId)
    if (!account) return refused('account-unknown')
    const provider = await providers.find(account.identityProviderId)
    const refuse = (reason: RefusedAccess['reason']): RefusedAccess => {
      const { organizationId } = account
      return { ok: false, reason, account, organizationId, ...(provider && { providerId: provider.stored.id }) }
    }
    const reason = findAccessRefusal(account, now)
    if (reason) return refuse(reason)
    if (!provider?.stored.enabled) return refuse('issuer-unknown')
    const { accountRevision, providerRevision } = row
    const isCurrent = account.revision === accountRevision && provider.stored.revision === providerRevision
    if (!isCurrent) return refuse('token-revoked')
    const credential = { accountRevision, providerRevision, tokenDigest: digest }
    return { ok: true, account: { ...account, credential, endsAt: row.expiresAt } }
  }

  /** Unknown tokens are not cached: there is no end of them. */
  async #load(digest: string): Promise<AccountToken | undefined> {
    const row = await findAccountToken(this.#parts.store.db, digest)
    if (row) this.#remembered.set(digest, row)
    return row
  }
}

function refused(reason: RefusedAccess['reason']): RefusedAccess {
  return { ok: false, reason }
}

function digestOf(token: string): string {
  return hash('sha256', token, 'hex')
}
