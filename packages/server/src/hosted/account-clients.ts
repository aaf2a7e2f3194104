import { AppError } from '@countersign/core'
import type { Logger } from 'pino'
import { removeClient } from '../operations/api-account/account-clients.ts'
import { endOldSessions } from '../operations/api-account/account-sessions.ts'
import type { ClientRegistration } from '../outbound/client-registration.ts'
import { OutboundError } from '../outbound/outbound-error.ts'
import type { Clock } from '../platform/clock.ts'
import type { Sealing } from '../platform/keys/sealing.ts'
import { SYSTEM_ACTOR } from '../store/actor.ts'
import type { ApiAccountClientRow } from '../store/hosted-schema.ts'
import type { StoredProvider } from '../store/provider-row.ts'
import { listRetiredClients } from '../store/reads/account-client-reads.ts'
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

const MAX_RETIRED_AT_ONCE = 100
const useOf = (providerId: string): string => `registration ${providerId}`

/** Seals a provider's initial access token for its record. */
export function sealRegistrationToken(sealing: Sealing, providerId: string, token: string): string {
  return sealing.seal(token, useOf(providerId))
}

/** Registers and removes the clients of API accounts at their identity providers. Client secrets are returned and never stored. */
export class AccountClients {
  readonly #parts: AccountClientsParts

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
  async discard({ id }: StoredProvider, { client }: NewClient): Promise<void> {
    await this.#removeAtProvider(id, client)
  }

  /** Removes clients at the provider. Failures are only logged, because the account is deleted here in any case. */
  async remove({ id }: Pick<StoredProvider, 'id'>, clients: readonly ApiAccountClientRow[]): Promise<void> {
    for (const row of clients) await this.#removeAtProvider(id, accountClient(row))
  }

  /** Removes clients whose overlap after a rotation has ended, and ends sessions they may have started. */
  async removeRetired(): Promise<void> {
    const { store, clock } = this.#parts
    const now = clock.now()
    for (const { client, providerId } of await listRetiredClients(store.db, now, MAX_RETIRED_AT_ONCE)) {
      const { issuer, client_id: clientId, account_id: accountId, retires_at: retiresAt } = client
      const meta = { actorId: SYSTEM_ACTOR.id, now }
      await store.run(endOldSessions, { accountId, openedBefore: retiresAt ?? now }, meta)
      if (!(await this.#removeAtProvider(providerId, accountClient(client)))) continue
      await store.run(removeClient, { issuer, clientId }, meta)
    }
  }

  async #register(provider: StoredProvider, name: string): Promise<NewClient> {
    const { registration, sealing } = this.#parts
    const { id, registrationUrl, registrationToken, tokenUrl, requiredScope } = provider
    if (registrationUrl === null || tokenUrl === null) {
      const message = 'the provider has no registration endpoint: set clientId to an existing client'
      throw new AppError('INVALID_FIELD', { message })
    }
    const initialToken = registrationToken === null ? undefined : sealing.open(registrationToken, useOf(id))
    const registered = await throwProviderFailed(
      registration.register(registrationUrl, { name, initialToken, scope: requiredScope ?? undefined }),
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
  async #removeAtProvider(providerId: string, client: AccountClient): Promise<boolean> {
    const { registration, sealing, log } = this.#parts
    const { registrationUri, sealedRegistrationToken } = client
    if (registrationUri === null || sealedRegistrationToken === null) return true
    try {
      const registrationToken = sealing.open(sealedRegistrationToken, useOf(providerId))
      await registration.remove({ registrationUri, registrationToken })
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

/** Converts an OutboundError into PROVIDER_FAILED with its message. */
async function throwProviderFailed<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    throw new AppError(
      'PROVIDER_FAILED',
      { message: `the provider did not register a client: ${error.message}` },
      { cause: error },
    )
  }
}
