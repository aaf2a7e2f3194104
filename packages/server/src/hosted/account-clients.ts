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

/** The file that is handed out once. */
export interface Credentials {
  readonly clientId: string
  readonly password: string
  readonly authenticationUrl: string
}

/** A client to record, and what its holder is given. */
export interface NewClient {
  readonly client: AccountClient
  readonly credentials: Credentials | undefined
}

export interface AccountClients {
  /** A new client at the provider, or the one that exists there already. */
  obtain(provider: StoredProvider, account: { name: string; clientId: string | undefined }): Promise<NewClient>
  /** Undoes `obtain` when what needed the client could not be done. */
  giveUp(provider: StoredProvider, client: NewClient): Promise<void>
  /** Takes clients away at the provider. One that it keeps is told of in the log: the account is gone here all the same. */
  remove(provider: Pick<StoredProvider, 'id'>, clients: readonly ApiAccountClientRow[]): Promise<void>
  /** Takes away clients whose time is over, and ends the sessions that they may have opened. */
  removeRetired(): Promise<void>
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

/** How a provider's initial access token is kept with its record. */
export function sealRegistrationToken(sealing: Sealing, providerId: string, token: string): string {
  return sealing.seal(token, useOf(providerId))
}

/** Deals with the providers on behalf of API accounts. Secrets pass through here and stay nowhere. */
export function createAccountClients({
  registration,
  sealing,
  store,
  clock,
  log,
}: AccountClientsParts): AccountClients {
  const register = async (provider: StoredProvider, name: string): Promise<NewClient> => {
    const { id, registrationUrl, registrationToken, tokenUrl, requiredScope } = provider
    if (registrationUrl === null || tokenUrl === null) {
      const message = 'the provider registers no clients: name one that exists there in clientId'
      throw new AppError('INVALID_FIELD', { message })
    }
    const initialToken = registrationToken === null ? undefined : sealing.open(registrationToken, useOf(id))
    const made = await asking(
      registration.register(registrationUrl, { name, initialToken, scope: requiredScope ?? undefined }),
    )
    const sealedToken = made.registrationToken === null ? null : sealing.seal(made.registrationToken, useOf(id))
    return {
      client: { clientId: made.clientId, registrationUri: made.registrationUri, sealedRegistrationToken: sealedToken },
      credentials: { clientId: made.clientId, password: made.clientSecret, authenticationUrl: tokenUrl },
    }
  }

  const removeAtProvider = async (providerId: string, client: AccountClient): Promise<boolean> => {
    const { registrationUri, sealedRegistrationToken } = client
    if (registrationUri === null || sealedRegistrationToken === null) return true
    try {
      const registrationToken = sealing.open(sealedRegistrationToken, useOf(providerId))
      await registration.remove({ registrationUri, registrationToken })
      return true
    } catch (error) {
      log.error(
        { providerId, clientId: client.clientId, err: error },
        'a client could not be taken away at its provider',
      )
      return false
    }
  }

  return {
    obtain: async (provider, { name, clientId }) => {
      if (!clientId) return register(provider, name)
      const client = { clientId, registrationUri: null, sealedRegistrationToken: null }
      return { client, credentials: undefined }
    },
    giveUp: async ({ id }, { client }) => void (await removeAtProvider(id, client)),
    remove: async ({ id }, clients) => {
      for (const row of clients) await removeAtProvider(id, managed(row))
    },
    removeRetired: async () => {
      const now = clock.now()
      for (const { client, providerId } of await listRetiredClients(store.db, now, MAX_RETIRED_AT_ONCE)) {
        const { issuer, client_id: clientId, account_id: accountId, retires_at: retiresAt } = client
        const meta = { actorId: SYSTEM_ACTOR.id, now }
        await store.run(endOldSessions, { accountId, openedBefore: retiresAt ?? now }, meta)
        if (!(await removeAtProvider(providerId, managed(client)))) continue
        await store.run(removeClient, { issuer, clientId }, meta)
      }
    },
  }
}

function managed(row: ApiAccountClientRow): AccountClient {
  const { client_id: clientId, registration_uri: registrationUri, registration_token: sealedRegistrationToken } = row
  return { clientId, registrationUri, sealedRegistrationToken }
}

/** What went wrong at the provider, told to the administrator who asked. */
async function asking<T>(work: Promise<T>): Promise<T> {
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
