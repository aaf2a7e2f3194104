import { AppError } from '@countersign/core'
import type { Logger } from 'pino'
import { removeClient } from '../operations/api-account/account-clients.ts'
import { endOldSessions } from '../operations/api-account/account-sessions.ts'
import type { Administrations } from '../outbound/administration/administrations.ts'
import type {
  AdministeredClient,
  AdministeredProvider,
  AdministrationCheck,
  ClientName,
  ProviderAdministration,
} from '../outbound/administration/provider-administration.ts'
import { OutboundError } from '../outbound/outbound-error.ts'
import type { Clock } from '../platform/clock.ts'
import type { Sealing } from '../platform/keys/sealing.ts'
import { SYSTEM_ACTOR } from '../store/actor.ts'
import { accountClient } from '../store/hosted-rows.ts'
import type { StoredProvider } from '../store/provider-row.ts'
import { getProviderById } from '../store/reads/provider-reads.ts'
import {
  findRetiredClient,
  listAccountsWithOldSessions,
  listRetiredClients,
} from '../store/reads/retired-client-reads.ts'
import type { Store } from '../store/store.ts'
import type { AccountClient } from '../store/writes/account-client-writes.ts'
import { OrganizationRounds, type RoundLimits } from './organization-rounds.ts'

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

export interface AccountClientsParts {
  readonly administrations: Administrations
  readonly sealing: Sealing
  readonly store: Store
  readonly clock: Clock
  readonly log: Logger
  readonly roundLimits?: RoundLimits
}

const ACCOUNTS_PER_READ = 100
const MAX_REMOVALS_PER_ORGANIZATION = 10
const useOf = (providerId: string): string => `registration ${providerId}`

/** Seals the secret of a provider's administration for its record. */
export function sealAdministrationSecret(sealing: Sealing, providerId: string, secret: string): string {
  return sealing.seal(secret, useOf(providerId))
}

/** A client that exists at the provider already. */
export function existingClient(clientId: string): AccountClient {
  return { clientId, administeredBy: null, handle: null, sealedToken: null }
}

/** A provider record, and what aborts requests to the provider. */
export interface ProviderInTime extends StoredProvider {
  readonly signal?: AbortSignal
}

/** The administration of a provider, opened. */
export interface OpenedProvider {
  readonly provider: AdministeredProvider
  readonly adapter: ProviderAdministration
}

/** Creates and removes the clients of API accounts at their identity providers. Client secrets are returned and never stored. */
export class AccountClients {
  readonly #parts: AccountClientsParts
  readonly #rounds: OrganizationRounds

  constructor(parts: AccountClientsParts) {
    this.#parts = parts
    this.#rounds = new OrganizationRounds(parts.roundLimits)
  }

  /** Throws INVALID_FIELD when the record has no administration that creates clients. */
  checkCreates({ administration, tokenUrl }: StoredProvider): void {
    if (administration !== null && administration.kind !== 'manual' && tokenUrl !== null) return
    const message = 'the provider has no administration that creates clients: set clientId to an existing client'
    throw new AppError('INVALID_FIELD', { message })
  }

  /** Opens the administration of a record. A record without one is administered by hand. */
  open(record: ProviderInTime): OpenedProvider {
    const { administrations, sealing } = this.#parts
    const { id, administrationSecret, administration } = record
    const secret = administrationSecret === null ? undefined : sealing.open(administrationSecret, useOf(id))
    const provider = { ...record, administration: administration ?? { kind: 'manual' as const }, secret }
    return { provider, adapter: administrations[provider.administration.kind] }
  }

  /** Creates a client. Rejects with `OutboundError` when the provider does not. */
  async create(record: ProviderInTime, name: ClientName): Promise<NewClient> {
    const { provider, adapter } = this.open(record)
    const { clientId, clientSecret, handle, token } = await adapter.create(provider, name)
    const sealedToken = token === null ? null : this.#parts.sealing.seal(token, useOf(record.id))
    return {
      client: { clientId, administeredBy: provider.administration.kind, handle, sealedToken },
      credentials: credentialsOf(record, clientId, clientSecret),
    }
  }

  /** Removes a client that the controller created. Rejects with `OutboundError` when the provider does not. */
  async remove(record: ProviderInTime, client: AccountClient): Promise<void> {
    const { administeredBy } = client
    if (administeredBy === null) return
    const { provider } = this.open(record)
    if (administeredBy !== 'rfc7591' && administeredBy !== provider.administration.kind) {
      const reason = `the client was created by an administration of the kind ${administeredBy}, which the record no longer has`
      throw new OutboundError('content', reason)
    }
    await this.#parts.administrations[administeredBy].remove(provider, this.openClient(record, client))
  }

  openClient({ id }: Pick<StoredProvider, 'id'>, { clientId, handle, sealedToken }: AccountClient): AdministeredClient {
    return { clientId, handle, token: sealedToken === null ? null : this.#parts.sealing.open(sealedToken, useOf(id)) }
  }

  /** Tries the administration of a record. */
  async test(record: StoredProvider): Promise<AdministrationCheck[]> {
    const { provider, adapter } = this.open(record)
    return adapter.test(provider)
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
   * Removes the retired clients whose sessions have ended. After a failure, the other clients of the organization wait for the next round. They do not
   * wait for the removals of requests.
   */
  async removeRetired(): Promise<void> {
    const { store, clock, log } = this.#parts
    await this.#rounds.run(await listRetiredClients(store, MAX_REMOVALS_PER_ORGANIZATION), async (retired, signal) => {
      const { providerId, organizationId: _, ...key } = retired
      const row = await findRetiredClient(store.db, retired)
      if (!row) return true
      try {
        await this.remove({ ...(await getProviderById(store.db, providerId)), signal }, accountClient(row))
        await store.run(removeClient, key, { actorId: SYSTEM_ACTOR.id, now: clock.now() })
        return true
      } catch (error) {
        log.error({ providerId, clientId: row.client_id, err: error }, 'a client could not be removed at its provider')
        return false
      }
    })
  }
}

export function credentialsOf({ tokenUrl }: StoredProvider, clientId: string, password: string): Credentials {
  return { clientId, password, authenticationUrl: tokenUrl ?? '' }
}

/** Converts an OutboundError into PROVIDER_FAILED with its message for tenants. */
export function providerFailed(error: unknown): unknown {
  if (!(error instanceof OutboundError)) return error
  const message = `the provider did not register a client: ${error.tenantMessage}`
  return new AppError('PROVIDER_FAILED', { message }, { cause: error })
}
