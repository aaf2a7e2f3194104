import type {
  AccountChanges,
  AccountInput,
  AccountWithCredentials,
  HostedClient,
  IdentityProvider,
  NetworkInput,
  ProviderInput,
} from '@countersign/sdk'
import { collect } from '../collect.ts'
import type { Item, WritableCollection } from '../resources/resource-kind.ts'

export type Credentials = NonNullable<AccountWithCredentials['credentials']>
export type SaveCredentials = (name: string, credentials: Credentials) => void

interface HostedMethods {
  list(options?: object): AsyncIterable<object>
  page(options?: object): Promise<{ readonly items: readonly object[]; readonly total: number }>
  get(id: string): Promise<object>
  getVersioned(id: string): Promise<{ item: object; version: string | undefined }>
  update(id: string, changes: never, options?: object): Promise<unknown>
  replace(id: string, body: never, options?: object): Promise<unknown>
  delete(id: string, options?: object): Promise<void>
}

/** A collection of the hosted API with the methods of one of the controller. */
function adapt(
  methods: HostedMethods,
  create: (body: object) => Promise<{ readonly id: string }>,
  read: (item: object) => Promise<Item> = async (item) => item as Item,
): WritableCollection {
  return {
    async *list() {
      for await (const item of methods.list()) yield await read(item)
    },
    page: async () => {
      const { items, total } = await methods.page()
      return { items: await Promise.all(items.map(read)), total }
    },
    get: async (id) => read(await methods.get(id)),
    async getVersioned(id) {
      const { item, version } = await methods.getVersioned(id)
      return { item: await read(item), version }
    },
    create: async (body) => (await create(body)).id,
    patch: async (id, changes, options) => void (await methods.update(id, changes as never, options)),
    replace: async (id, body, options) => void (await methods.replace(id, body as never, options)),
    delete: (id, options) => methods.delete(id, options),
  }
}

/** Whether a stored secret exists is not a setting: `clientSecretSet`. */
const SECRET_MARKS = /Set$/

/** An audience that is the organization's own is the default of a record, and differs on each controller. */
export function openProviders(hosted: HostedClient): WritableCollection {
  let own: Promise<string | undefined> | undefined
  const ownAudience = () => {
    own ??= collect(hosted.organizations.list()).then(([first]) => first?.audience)
    return own
  }
  const read = async (item: object): Promise<Item> => {
    const { audience, administration, ...provider } = item as IdentityProvider
    const entries = Object.entries(administration ?? {})
    return {
      ...provider,
      audience: audience === (await ownAudience()) ? null : audience,
      administration: administration && Object.fromEntries(entries.filter(([name]) => !SECRET_MARKS.test(name))),
      secretsSet: entries.flatMap(([name, isSet]) => (isSet === true ? [name.replace(SECRET_MARKS, '')] : [])),
    }
  }
  const collection = adapt(hosted.providers, (body) => hosted.providers.create(body as ProviderInput), read)
  return {
    ...collection,
    async patch(id, changes, options) {
      const { audience } = changes as { audience?: unknown }
      const written = audience === '' || audience === null ? { audience: (await ownAudience()) ?? '' } : {}
      await collection.patch(id, { ...changes, ...written }, options)
    },
  }
}

/** Without this controller's own network, which every controller has. */
export function openNetworks(hosted: HostedClient): WritableCollection {
  const collection = adapt(hosted.networks, (body) => hosted.networks.create(body as NetworkInput))
  return {
    ...collection,
    async *list() {
      for await (const network of collection.list()) if (network.isLocal !== true) yield network
    },
  }
}

/** Kinds of administration that create no clients. */
const BY_HAND = ['manual', undefined]

export interface AccountOptions {
  readonly save?: SaveCredentials | undefined
  readonly confirmBroad?: boolean | undefined
}

export function openAccounts(hosted: HostedClient, { save, confirmBroad = false }: AccountOptions): WritableCollection {
  const create = async (body: object) => {
    const { clientId, ...account } = body as AccountInput
    const { administration } = await hosted.providers.get(account.identityProviderId)
    // A provider that creates clients creates a new one: the client of another controller is not this one's.
    const isGiven = BY_HAND.includes(administration?.kind) && account.kind !== 'federated'
    const created = await hosted.accounts.create(isGiven ? { ...account, clientId } : account, { confirmBroad })
    if (created.credentials) save?.(created.name, created.credentials)
    return created
  }
  return {
    ...adapt(hosted.accounts, create),
    patch: async (id, changes, options) =>
      void (await hosted.accounts.update(id, changes as AccountChanges, { ...options, confirmBroad })),
  }
}
