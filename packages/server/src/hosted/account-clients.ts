import { AppError } from '@countersign/core'
import type { Logger } from 'pino'
import { removeClient } from '../operations/api-account/account-clients.ts'
import { endOldSessions } from '../operations/api-account/account-sessions.ts'
import type { ClientRegistration } from '../outbound/client-registration.ts'
import { OutboundError } from '../outbound/outbound-error.ts'
import type { Clock } from '../platform/clock.ts'
import { FairQueue } from '../platform/fair-queue.ts'
import type { Sealing } from '../platform/keys/sealing.ts'
import { settleWithin } from '../platform/settle-within.ts'
import { SYSTEM_ACTOR } from '../store/actor.ts'
import type { ApiAccountClientRow } from '../store/hosted-schema.ts'
import type { OwnedKey } from '../store/owned-key.ts'
import type { StoredProvider } from '../store/provider-row.ts'
import {
  findRetiredClient,
  listAccountsWithOldSessions,
  listRetiredClients,
} from '../store/reads/retired-client-reads.ts'
import type { Store } from '../store/store.ts'
import type { AccountClient } from '../store/writes/account-client-writes.ts'

/** Content of the credentials file, shown once. */
export interface Credentials {
  readonly clientId: string
  readonly password: string
  readonly authenticationUrl: string
}

/** A client to store, and its credentials. */
export interface NewClient {
  readonly client: AccountClient
  readonly credentials: Credentials | undefined
}

interface AccountClientsParts {
  readonly registration: ClientRegistration
  readonly sealing: Sealing
  readonly store: Store
  readonly clock: Clock
  readonly log: Logger
}

/** How a removal gets its turn. */
type Turn = (remove: () => Promise<void>) => Promise<void>
const AT_ONCE: Turn = (remove) => remove()

/** Many may wait: a removal that is refused is not tried again, and the client would stay at the provider. */
const REMOVALS = { atOnce: 16, perKey: 2, maxWaiting: 10_000 }
/** How long a request waits for removals, which go on afterwards. */
const REQUEST_WAITS_MS = 5_000
const ACCOUNTS_PER_READ = 100
const MAX_REMOVALS_PER_ORGANIZATION = 10
const useOf = (providerId: string): string => `registration ${providerId}`

/** Seals a provider's initial access token for its record. */
export function sealRegistrationToken(sealing: Sealing, providerId: string, token: string): string {
  return sealing.seal(token, useOf(providerId))
}

/** Registers and removes the clients of API accounts at their identity providers. Client secrets are returned and never stored. */
export class AccountClients {
  readonly #parts: AccountClientsParts
  /** By organization, whose provider chooses the hosts, which may be slow. */
  readonly #removals = new FairQueue(REMOVALS)

  constructor(parts: AccountClientsParts) {
    this.#parts = parts
  }

  /** Registers a new client, or uses the existing `clientId`. Throws PROVIDER_FAILED when the provider does not register one. */
  async obtain(
    provider: StoredProvider,
    { name, clientId }: { readonly name: string; readonly clientId: string | undefined },
  ): Promise<NewClient> {
    if (clientId === undefined) return this.#register(provider, name)
    const client = { clientId, registrationUri: null, sealedRegistrationToken: null }
    return { client, credentials: undefined }
  }

  /** Undoes `obtain` when the client could not be stored. */
  async discard(provider: StoredProvider, { client }: NewClient): Promise<void> {
    await this.#removeInTurn(provider, [client])
  }

  /** Removes clients at the provider. Failures are only logged, because the account is deleted here in any case. */
  async remove(provider: OwnedKey, clients: readonly ApiAccountClientRow[]): Promise<void> {
    await this.#removeInTurn(provider, clients.map(accountClient))
  }

  async #removeInTurn(provider: OwnedKey, clients: readonly AccountClient[]): Promise<void> {
    const inTurn: Turn = (remove) => this.#removals.run(provider.organizationId, remove)
    const removeAll = async (): Promise<void> => {
      for (const client of clients) await this.#removeAtProvider(provider, client, inTurn)
    }
    await settleWithin(REQUEST_WAITS_MS, [removeAll()])
  }

  /**
   * Ends the sessions of clients whose overlap after a rotation has ended. Depends on no provider. An account whose sessions have ended is not
   * listed again.
   */
  async endOldSessions(): Promise<void> {
    const { store, clock } = this.#parts
    const now = clock.now()
    const list = () => listAccountsWithOldSessions(store.db, now, ACCOUNTS_PER_READ)
    for (let ids = await list(); ids.length > 0; ids = await list()) {
      for (const accountId of ids) await store.run(endOldSessions, { accountId }, { actorId: SYSTEM_ACTOR.id, now })
    }
  }

  /**
   * Removes the retired clients whose sessions have ended. After a failure, the other clients of the organization wait for the next round, so that
   * those of others do not wait for them. For the same reason they do not wait for the removals of requests.
   */
  async removeRetired(): Promise<void> {
    const { store, clock } = this.#parts
    const failed = new Set<string>()
    for (const retired of await listRetiredClients(store, MAX_REMOVALS_PER_ORGANIZATION)) {
      const { providerId, organizationId, ...key } = retired
      const client = failed.has(organizationId) ? undefined : await findRetiredClient(store.db, retired)
      if (!client) continue
      if (await this.#removeAtProvider({ id: providerId, organizationId }, accountClient(client))) {
        await store.run(removeClient, key, { actorId: SYSTEM_ACTOR.id, now: clock.now() })
      } else {
        failed.add(organizationId)
      }
    }
  }

  async #register(provider: StoredProvider, name: string): Promise<NewClient> {
    const { registration, sealing } = this.#parts
    const { id, organizationId, registrationUrl, registrationToken, tokenUrl, requiredScope } = provider
    if (registrationUrl === null || tokenUrl === null) {
      const message = 'the provider has no registration endpoint: set clientId to an existing client'
      throw new AppError('INVALID_FIELD', { message })
    }
    const initialToken = registrationToken === null ? undefined : sealing.open(registrationToken, useOf(id))
    const registered = await throwProviderFailed(
      registration.register(organizationId, registrationUrl, { name, initialToken, scope: requiredScope ?? undefined }),
    )
    const sealedToken =
      registered.registrationToken === null ? null : sealing.seal(registered.registrationToken, useOf(id))
    return {
      client: {
        clientId: registered.clientId,
        registrationUri: registered.registrationUri,
        sealedRegistrationToken: sealedToken,
      },
      credentials: { clientId: registered.clientId, password: registered.clientSecret, authenticationUrl: tokenUrl },
    }
  }

  /** Returns false when the provider did not remove the client. */
  async #removeAtProvider(provider: OwnedKey, client: AccountClient, turn = AT_ONCE): Promise<boolean> {
    const { registration, sealing, log } = this.#parts
    const { id: providerId, organizationId } = provider
    const { registrationUri, sealedRegistrationToken } = client
    if (registrationUri === null || sealedRegistrationToken === null) return true
    try {
      const registrationToken = sealing.open(sealedRegistrationToken, useOf(providerId))
      await turn(() => registration.remove(organizationId, { registrationUri, registrationToken }))
      return true
    } catch (error) {
      log.error({ providerId, clientId: client.clientId, err: error }, 'a client could not be removed at its provider')
      return false
    }
  }
}

function accountClient(row: ApiAccountClientRow): AccountClient {
  const { client_id: clientId, registration_uri: registrationUri, registration_token: sealedRegistrationToken } = row
  return { clientId, registrationUri, sealedRegistrationToken }
}

/** Converts an OutboundError into PROVIDER_FAILED with its message for tenants. */
async function throwProviderFailed<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    throw new AppError(
      'PROVIDER_FAILED',
      { message: `the provider did not register a client: ${error.tenantMessage}` },
      { cause: error },
    )
  }
}
