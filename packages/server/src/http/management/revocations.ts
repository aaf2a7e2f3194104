import { type RevocationCreate as CreateBody, RevocationCreate } from '@countersign/contract'
import { fieldError, type JsonObject, readTags } from '@countersign/core'
import { createRevocation } from '../../operations/revocation/create-revocation.ts'
import type { Clock } from '../../platform/clock.ts'
import { MAX_OIDC_TOKEN_SECONDS } from '../../platform/settings/index.ts'
import { REVOCATION_FILTER } from '../../store/filter-tables.ts'
import { readJsonColumn } from '../../store/json-column.ts'
import { notFound } from '../../store/not-found.ts'
import type { RevocationRow } from '../../store/oidc-schema.ts'
import { findRevocation } from '../../store/reads/revocation-reads.ts'
import type { Store } from '../../store/store.ts'
import { MANAGEMENT } from '../api-paths.ts'
import { created, detail, selfLink, timestamp } from '../pipeline/envelope.ts'
import { listResponse } from '../pipeline/list-response.ts'
import { operationMeta } from '../pipeline/operation-meta.ts'
import type { Route } from '../pipeline/route.ts'
import { describe } from '../pipeline/route-note.ts'
import { laterThan } from '../shared/row-conditions.ts'
import { idOf } from './resource-routes.ts'

interface RevocationRouteParts {
  readonly store: Store
  readonly clock: Clock
}

const COLLECTION = 'revocations'
const ALL = [`${MANAGEMENT}/${COLLECTION}`]
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const access = (action: 'create' | 'read') => ({ entity: 'revocation', action }) as const

/** Not the current settings: the token may have been issued under others, before a restart or by another node. */
const KEPT_MS = MAX_OIDC_TOKEN_SECONDS * 1000

/** Revocations of tokens of the OpenID provider. They are kept until the last token that they concern has expired. */
export function revocationRoutes({ store, clock }: RevocationRouteParts): Route[] {
  return [
    {
      method: 'GET',
      paths: ALL,
      access: access('read'),
      bodyCap: 'management',
      body: null,
      note: describe.list('Revocation', 'List revocations of tokens'),
      handle: (call) => {
        const table = REVOCATION_FILTER
        const within = { table, predicate: laterThan('expiresAt', clock.now()) }
        const show = (rows: readonly RevocationRow[]) => rows.map(view)
        return listResponse({ store, table, show, within }, call)
      },
    },
    {
      method: 'POST',
      paths: ALL,
      access: access('create'),
      bodyCap: 'management',
      body: { schema: RevocationCreate, optional: false, parameter: 'revocation' },
      note: describe.created('Revoke a token, or all tokens of a session or an identity', {
        description:
          '`JTI` names a token by its `jti`, `API_SESSION` a session by the `z_asid` of its tokens, `IDENTITY` an identity by its id: its sessions with access tokens end.',
      }),
      handle: async (call) => {
        const { id: given, type, tags } = call.body as CreateBody
        const id = type === 'IDENTITY' ? given : given.toLowerCase()
        if (type !== 'IDENTITY' && !UUID.test(id)) {
          throw fieldError('id', `id must be a UUID for the type ${type}`, given)
        }
        const revocation = {
          id,
          type,
          tags: readTags('tags', (tags ?? {}) as JsonObject),
          keptMs: KEPT_MS,
        }
        await store.run(createRevocation, revocation, operationMeta(call, clock.now()))
        return created(COLLECTION, id)
      },
    },
    {
      method: 'GET',
      paths: [`${MANAGEMENT}/${COLLECTION}/:id`],
      access: access('read'),
      bodyCap: 'management',
      body: null,
      note: describe.one('Revocation', 'Get a revocation'),
      handle: async (call) => {
        const row = await findRevocation(store.db, idOf(call), clock.now())
        if (!row) throw notFound('revocation', idOf(call))
        return detail(view(row))
      },
    },
  ]
}

function view(row: RevocationRow) {
  return {
    _links: selfLink(COLLECTION, row.id),
    id: row.id,
    createdAt: timestamp(row.created_at),
    updatedAt: timestamp(row.updated_at),
    tags: readJsonColumn(row.tags),
    type: row.type,
    expiresAt: timestamp(row.expires_at),
  }
}
