import type { AdministrationTest } from '@countersign/contract'
import type { Administration } from '@countersign/core'

/** A provider record as its administration sees it. */
export interface AdministeredProvider {
  readonly id: string
  readonly organizationId: string
  readonly issuer: string
  readonly tokenUrl: string | null
  readonly audience: string | null
  readonly requiredScope: string | null
  readonly administration: Administration
  /** The opened secret; undefined when none is stored. */
  readonly secret: string | undefined
  /** Aborts the requests of a task that takes too long. */
  readonly signal?: AbortSignal | undefined
}

/** A client that the controller created at a provider. */
export interface AdministeredClient {
  readonly clientId: string
  /** The client's URL by RFC 7592, or its id in the administration API. */
  readonly handle: string | null
  /** The client's token by RFC 7592, opened. */
  readonly token: string | null
}

export interface CreatedClient extends AdministeredClient {
  /** Returned to the caller and never stored. */
  readonly clientSecret: string
}

/** The name of a new client. `marker` occurs in no other client of the provider, so that the client is found if the response is lost. */
export interface ClientName {
  readonly name: string
  readonly marker: string
}

export type AdministrationCheck = AdministrationTest['checks'][number]

export interface AddedSecret {
  readonly id: string
  /** Returned to the caller and never stored. */
  readonly secret: string
}

/** The secrets of a client, which are valid beside each other. */
export interface ClientSecrets {
  /** How many a client can have. */
  readonly most: number
  /** The ids of the present ones; none when the client no longer exists. */
  list(provider: AdministeredProvider, client: AdministeredClient): Promise<string[]>
  add(provider: AdministeredProvider, client: AdministeredClient): Promise<AddedSecret>
  /** Succeeds when the secret no longer exists. */
  remove(provider: AdministeredProvider, client: AdministeredClient, secretId: string): Promise<void>
}

/**
 * Creates and removes clients at one kind of provider. Requests are made in the name of the provider's organization. Methods reject with
 * `OutboundError` when the provider fails or refuses.
 */
export interface ProviderAdministration {
  /** Creates a client for client credentials. When it rejects, the client may exist in part: `findLost` finds it. */
  create(provider: AdministeredProvider, name: ClientName): Promise<CreatedClient>
  /** Where clients can have several secrets at once. */
  readonly secrets?: ClientSecrets
  /** Whether the client gets tokens. Absent where providers cannot disable a client. */
  setEnabled?(provider: AdministeredProvider, client: AdministeredClient, isEnabled: boolean): Promise<void>
  /** Succeeds when the client no longer exists. */
  remove(provider: AdministeredProvider, client: AdministeredClient): Promise<void>
  /** Finds the clients of a name, whose creation was interrupted. Absent where providers list no clients. */
  findLost?(provider: AdministeredProvider, name: ClientName): Promise<AdministeredClient[]>
  /** Tries the secret and each permission. Creates nothing that stays. */
  test(provider: AdministeredProvider): Promise<AdministrationCheck[]>
}

/** The name under which a client is listed at its provider. */
export function clientNameOf({ name, marker }: ClientName): string {
  return `${name} (countersign ${marker})`
}

/** The scopes that a new client may request. */
export function scopesOf({ administration, requiredScope }: AdministeredProvider): string[] {
  return (administration.scope ?? requiredScope ?? '').split(' ').filter((scope) => scope !== '')
}
