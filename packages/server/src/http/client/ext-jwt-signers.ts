import { CLIENT_SIGNER_MEMBERS } from '@countersign/contract/ext-jwt-signer'
import { resolvePaging } from '@countersign/core'
import type { Settings } from '../../platform/settings/index.ts'
import { CLIENT_SIGNER_FILTER } from '../../store/filter-tables.ts'
import { buildFilterOptions } from '../../store/filter-to-sql.ts'
import { listEnabledSigners } from '../../store/reads/signer-reads.ts'
import type { StoredSigner } from '../../store/signer-row.ts'
import type { Store } from '../../store/store.ts'
import { CLIENT } from '../api-paths.ts'
import { jsonText, selfLink, timestamp } from '../pipeline/envelope.ts'
import { listMeta, listParameters } from '../pipeline/list-response.ts'
import type { Query } from '../pipeline/query.ts'
import type { Route } from '../pipeline/route.ts'
import { describe } from '../pipeline/route-note.ts'

interface ClientExtJwtSignerRouteParts {
  readonly store: Store
  readonly settings: Pick<Settings, 'clientScopes'>
}

const COLLECTION = 'external-jwt-signers'
const FILTER_OPTIONS = {
  ...buildFilterOptions(CLIENT_SIGNER_FILTER),
  allowUnlimited: false,
  defaultLimit: 'none' as const,
  defaultSort: [{ symbol: 'name', descending: false }],
}
const PAGING_PARAMETERS = ['filter', 'sort', 'limit', 'offset']
/** The limit of a request with an offset but without a limit: the same as for other lists. */
const PAGE_AFTER_OFFSET = 10

/** The enabled signers, for clients to choose from before they log in. */
export function clientExtJwtSignerRoutes({ store, settings }: ClientExtJwtSignerRouteParts): Route[] {
  const show = (signer: StoredSigner) => clientView(signer, settings.clientScopes)
  // Every client requests the whole list first, so its text is kept until a signer changes.
  let cached: { readonly text: string; readonly total: number } | undefined
  let generation = 0
  store.onChange((changes) => {
    if (changes !== 'everything' && !changes.some(({ entity }) => entity === 'externalJwtSigners')) return
    generation++
    cached = undefined
  })

  const wholeList = async () => {
    if (cached) return cached
    const before = generation
    const { signers, totalCount: total } = await listEnabledSigners(store, resolvePaging({}, FILTER_OPTIONS))
    const whole = { text: jsonText({ data: signers.map(show), meta: {} }), total }
    if (before === generation) cached = whole
    return whole
  }
  const countAll = async () => (await wholeList()).total

  const page = async (query: Query) => {
    const requested = resolvePaging(listParameters(query), FILTER_OPTIONS)
    const paging =
      requested.limit === 'none' && requested.offset > 0 ? { ...requested, limit: PAGE_AFTER_OFFSET } : requested
    const { signers, totalCount } = await listEnabledSigners(store, paging, countAll)
    return { data: signers.map(show), meta: listMeta(CLIENT_SIGNER_FILTER, paging, totalCount) }
  }

  return [
    {
      method: 'GET',
      paths: [`${CLIENT}/${COLLECTION}`],
      access: 'anonymous',
      rate: 'none',
      bodyCap: 'anonymous',
      body: null,
      note: describe.list('ClientSigner', 'List the signers to choose from', {
        description: 'Without parameters the list is complete and `meta` is empty.',
      }),
      handle: async ({ query }) => {
        if (PAGING_PARAMETERS.some((name) => query.has(name))) return { status: 200, json: await page(query) }
        return { status: 200, text: (await wholeList()).text }
      },
    },
  ]
}

/** The fixed list of public members. Everything else about a signer is for administrators. */
function clientView(signer: StoredSigner, scopesAs: 'string' | 'array') {
  return {
    _links: selfLink(COLLECTION, signer.id),
    id: signer.id,
    createdAt: timestamp(signer.createdAt),
    updatedAt: timestamp(signer.updatedAt),
    ...Object.fromEntries(CLIENT_SIGNER_MEMBERS.map((member) => [member, signer[member]])),
    // Replaces the value from the list above, at the same position.
    scopes: scopesAs === 'array' ? signer.scopes : (signer.scopes?.join(' ') ?? null),
  }
}
