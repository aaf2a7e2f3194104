import { CLIENT_SIGNER_MEMBERS } from '@countersign/contract/ext-jwt-signer'
import type { Paging, RowReader } from '@countersign/core'
import type { Settings } from '../../platform/settings/index.ts'
import { CLIENT_SIGNER_FILTER } from '../../store/filter-tables.ts'
import { buildFilterOptions } from '../../store/filter-to-sql.ts'
import type { StoredSigner } from '../../store/signer-row.ts'
import type { Store } from '../../store/store.ts'
import { browserLoginOf } from '../../token/browser-login.ts'
import type { SignerDirectory } from '../../token/signer-directory.ts'
import { CLIENT } from '../api-paths.ts'
import { selfLink, timestamp } from '../pipeline/envelope.ts'
import { listMeta } from '../pipeline/list-response.ts'
import { selectPage } from '../pipeline/memory-list-response.ts'
import { readPaging } from '../pipeline/read-paging.ts'
import type { Route, RouteResponse } from '../pipeline/route.ts'
import { describe } from '../pipeline/route-note.ts'
import { keptText } from '../pipeline/send-response.ts'

interface ClientExtJwtSignerRouteParts {
  readonly store: Pick<Store, 'onChange'>
  readonly signers: Pick<SignerDirectory, 'all'>
  readonly settings: Pick<Settings, 'clientScopes'>
}

const COLLECTION = 'external-jwt-signers'
const FILTER_OPTIONS = {
  ...buildFilterOptions(CLIENT_SIGNER_FILTER),
  maxTerms: 20,
  allowUnlimited: false,
  defaultLimit: 'none' as const,
  defaultSort: [{ symbol: 'name', descending: false }],
}
const PAGING_PARAMETERS = ['filter', 'sort', 'limit', 'offset']
/** The limit of a request with an offset but without a limit: the same as for other lists. */
const PAGE_AFTER_OFFSET = 10

/** A signer as the list shows it, in JSON, and the values that filters see. */
interface ListedSigner {
  readonly text: string
  readonly values: Readonly<Record<string, unknown>>
}

interface WholeList {
  readonly signers: readonly ListedSigner[]
  readonly text: string | Buffer
}

/** The enabled signers, for clients to choose from before they log in. */
export function clientExtJwtSignerRoutes({ store, signers, settings }: ClientExtJwtSignerRouteParts): Route[] {
  // Kept until a signer changes: every client requests the whole list first, and a stranger's filter must not cost the database anything.
  let cached: WholeList | undefined
  let generation = 0
  store.onChange((changes) => {
    if (changes !== 'everything' && !changes.some(({ entity }) => entity === 'externalJwtSigners')) return
    generation++
    cached = undefined
  })

  /** Each signer is described once: a caller who changes one in a loop must not make thousands of others be described again. */
  const known = new WeakMap<StoredSigner, ListedSigner>()
  const listedOf = (signer: StoredSigner): ListedSigner => {
    const listed = known.get(signer) ?? {
      text: JSON.stringify(clientView(signer, settings.clientScopes)),
      values: filterValues(signer),
    }
    known.set(signer, listed)
    return listed
  }

  const wholeList = async (): Promise<WholeList> => {
    if (cached) return cached
    const before = generation
    const enabled = (await signers.all()).filter((signer) => signer.enabled)
    const listed = enabled.toSorted(byName).map(listedOf)
    const whole = { signers: listed, text: keptText(listText(listed, {})) }
    if (before === generation) cached = whole
    return whole
  }

  const page = async (requested: Paging): Promise<RouteResponse> => {
    const paging =
      requested.limit === 'none' && requested.offset > 0 ? { ...requested, limit: PAGE_AFTER_OFFSET } : requested
    const { rows, totalCount } = selectPage((await wholeList()).signers, readerOf, paging)
    return { status: 200, text: listText(rows, listMeta(CLIENT_SIGNER_FILTER, paging, totalCount)) }
  }

  return [
    {
      method: 'GET',
      paths: [`${CLIENT}/${COLLECTION}`],
      access: 'anonymous',
      rate: 'query',
      bodyCap: 'anonymous',
      body: null,
      note: describe.list('ClientSigner', 'List the signers to choose from', {
        description: 'Without parameters the list is complete and `meta` is empty.',
      }),
      handle: async (call) => {
        if (PAGING_PARAMETERS.some((name) => call.query.has(name))) return readPaging(call, FILTER_OPTIONS, page)
        return { status: 200, text: (await wholeList()).text }
      },
    },
  ]
}

function byName(one: StoredSigner, other: StoredSigner): number {
  return one.name < other.name ? -1 : 1
}

function listText(signers: readonly ListedSigner[], meta: object): string {
  return `{"data":[${signers.map(({ text }) => text).join(',')}],"meta":${JSON.stringify(meta)}}\n`
}

const readerOf =
  ({ values }: ListedSigner): RowReader =>
  (symbol) =>
    values[symbol]

function filterValues(signer: StoredSigner): ListedSigner['values'] {
  const { id, createdAt, updatedAt } = signer
  return { id, createdAt, updatedAt, ...publicMembers(signer) }
}

function publicMembers(signer: StoredSigner) {
  const members = Object.fromEntries(CLIENT_SIGNER_MEMBERS.map((member) => [member, signer[member]]))
  return { ...members, ...browserLoginOf(signer) }
}

/** The fixed list of public members. Everything else about a signer is for administrators. */
function clientView(signer: StoredSigner, scopesAs: 'string' | 'array') {
  return {
    _links: selfLink(COLLECTION, signer.id),
    id: signer.id,
    createdAt: timestamp(signer.createdAt),
    updatedAt: timestamp(signer.updatedAt),
    ...publicMembers(signer),
    // Replaces the value from the list above, at the same position.
    scopes: scopesAs === 'array' ? signer.scopes : (signer.scopes?.join(' ') ?? null),
  }
}
