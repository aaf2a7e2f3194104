import { quoteForFilter } from '@countersign/sdk'
import { controller } from '../api/client.ts'
import { searchFilter } from '../api/search-filter.ts'

/** Something that the search of the whole console has found. */
export interface Found {
  /** Unique among all that was found. */
  readonly key: string
  readonly label: string
  readonly note: string
  /** The page of the console that shows it. */
  readonly path: string
}

interface Kind {
  readonly label: string
  /** The list of the kind: those that may not open it do not search it. */
  readonly path: string
  readonly find: (text: string) => Promise<readonly Found[]>
}

const MAX_FOUND = 5

interface Searched<Item> {
  readonly label: string
  readonly path: string
  readonly resource: {
    page(query: { filter?: string | undefined; sort?: string; limit: number }): Promise<{ items: readonly Item[] }>
  }
  readonly fields: readonly string[]
  readonly sort?: string
  readonly describe: (item: Item) => Pick<Found, 'label' | 'note'>
  /** By default the page of the item. */
  readonly pathOf?: (item: Item) => string
}

/** The id finds exactly, which is cheap; the other fields by any part of their text. */
function kind<Item extends { readonly id: string }>(searched: Searched<Item>): Kind {
  const { label, path, resource, fields, sort = 'name asc', describe, pathOf } = searched
  return {
    label,
    path,
    find: async (text) => {
      const filter = `id = ${quoteForFilter(text)} or ${searchFilter(fields, text)}`
      const { items } = await resource.page({ filter, sort, limit: MAX_FOUND })
      return items.map((item) => ({
        key: `${path}/${item.id}`,
        path: pathOf?.(item) ?? `${path}/${encodeURIComponent(item.id)}`,
        ...describe(item),
      }))
    },
  }
}

/** What is searched, in the order of the results. */
const KINDS: readonly Kind[] = [
  kind({
    label: 'Identities',
    path: '/identities',
    resource: controller.identities,
    fields: ['name', 'externalId'],
    describe: ({ name, externalId }) => ({ label: name, note: externalId ?? '' }),
  }),
  kind({
    label: 'Signers',
    path: '/signers',
    resource: controller.signers,
    fields: ['name', 'issuer'],
    describe: ({ name, issuer }) => ({ label: name, note: issuer }),
  }),
  kind({
    label: 'Authentication policies',
    path: '/policies',
    resource: controller.authPolicies,
    fields: ['name'],
    describe: ({ name }) => ({ label: name, note: '' }),
  }),
  kind({
    label: 'CAs',
    path: '/cas',
    resource: controller.cas,
    fields: ['name'],
    describe: ({ name, fingerprint }) => ({ label: name, note: fingerprint }),
  }),
  kind({
    label: 'Event sinks',
    path: '/sinks',
    resource: controller.eventSinks,
    fields: ['name', 'url'],
    describe: ({ name, kind }) => ({ label: name, note: kind }),
  }),
  kind({
    label: 'API sessions',
    path: '/sessions',
    resource: controller.apiSessions,
    fields: ['identityName', 'ipAddress'],
    sort: 'createdAt desc',
    describe: ({ identity, ipAddress }) => ({ label: identity.name, note: ipAddress }),
    pathOf: ({ id }) => `/sessions?q=${encodeURIComponent(id)}`,
  }),
  kind({
    label: 'Decisions',
    path: '/decisions',
    resource: controller.authDecisions,
    fields: ['claimedIdentity', 'identityName'],
    sort: 'at desc',
    describe: ({ id, claimedIdentity, identityName, reason }) => ({
      label: identityName ?? claimedIdentity ?? id,
      note: reason,
    }),
  }),
]

/** Whether there is anything to search for a caller. */
export function canSearch(mayOpen: (path: string) => boolean): boolean {
  return KINDS.some(({ path }) => mayOpen(path))
}

export interface FoundGroup {
  readonly label: string
  readonly found: readonly Found[]
}

/** Searches everything that the caller can read. Kinds without permission, and those that fail, have no results. */
export async function searchEverywhere(
  text: string,
  mayOpen: (path: string) => boolean,
): Promise<readonly FoundGroup[]> {
  const kinds = KINDS.filter(({ path }) => mayOpen(path))
  const results = await Promise.allSettled(kinds.map(({ find }) => find(text)))
  return results.flatMap((result, index) => {
    const { label = '' } = kinds[index] ?? {}
    return result.status === 'fulfilled' && result.value.length > 0 ? [{ label, found: result.value }] : []
  })
}
