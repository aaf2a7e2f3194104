import {
  AuthenticatorCreate,
  AuthenticatorPatch,
  type AuthenticatorCreate as CreateBody,
  type AuthenticatorPatch as PatchBody,
} from '@countersign/contract'
import { newSortableId } from '@countersign/core'
import { deleteAuthenticator } from '../../operations/authenticator/delete-authenticator.ts'
import { AUTHENTICATOR_FILTER } from '../../store/filter-tables.ts'
import { notFound } from '../../store/not-found.ts'
import { findAuthenticator } from '../../store/reads/authenticator-reads.ts'
import { findIdentity, loadIdentityNames } from '../../store/reads/identity-reads.ts'
import type { AuthenticatorRow } from '../../store/schema.ts'
import type { Store } from '../../store/store.ts'
import { MANAGEMENT } from '../api-paths.ts'
import { created, detail, done, withVersion } from '../pipeline/envelope.ts'
import { listResponse } from '../pipeline/list-response.ts'
import { operationMeta } from '../pipeline/operation-meta.ts'
import type { Route } from '../pipeline/route.ts'
import { describe } from '../pipeline/route-note.ts'
import { authenticatorView } from '../shared/authenticator-view.ts'
import { equals } from '../shared/row-conditions.ts'
import { AuthenticatorChanges, type AuthenticatorChangesParts } from './authenticator-changes.ts'
import { namingOwners } from './name-owners.ts'
import { idOf, resourceNotes } from './resource-routes.ts'

const COLLECTION = [`${MANAGEMENT}/authenticators`]
const ONE = [`${MANAGEMENT}/authenticators/:id`]

const NOTES = resourceNotes({ schema: 'Authenticator', noun: 'an authenticator', plural: 'authenticators' })

const READ = { entity: 'identity', action: 'read' } as const
const change = (action: 'create' | 'update' | 'delete') => ({ entity: 'identity', action, isWhole: true }) as const

interface AuthenticatorRouteParts extends AuthenticatorChangesParts {
  readonly store: Store
}

/** The passwords and certificates of identities. Login by JWT leaves no authenticator behind. */
export function authenticatorRoutes(parts: AuthenticatorRouteParts): Route[] {
  const { store, clock } = parts
  const changes = new AuthenticatorChanges(parts)

  const show = async (rows: readonly AuthenticatorRow[]) => {
    const identities = await loadIdentityNames(
      store.db,
      rows.map((row) => row.identity_id),
    )
    return rows.flatMap((row) => {
      const identity = identities.get(row.identity_id)
      return identity ? [authenticatorView(row, identity, 'authenticators')] : []
    })
  }

  return namingOwners(store, [
    {
      method: 'GET',
      paths: COLLECTION,
      access: READ,
      bodyCap: 'management',
      body: null,
      note: NOTES.list,
      handle: (call) => listResponse({ store, table: AUTHENTICATOR_FILTER, show }, call),
    },
    {
      method: 'POST',
      paths: COLLECTION,
      access: change('create'),
      bodyCap: 'management',
      body: { schema: AuthenticatorCreate, optional: false, parameter: 'authenticator' },
      note: NOTES.create,
      handle: async (call) => {
        const id = newSortableId(clock.now())
        await changes.create(call, id, call.body as CreateBody)
        return created(call.collection, id)
      },
    },
    {
      method: 'GET',
      paths: ONE,
      access: READ,
      bodyCap: 'management',
      body: null,
      note: NOTES.get,
      handle: async (call) => {
        const row = await findAuthenticator(store.db, idOf(call))
        const [shown] = await show(row ? [row] : [])
        if (!row || !shown) throw notFound('authenticator', idOf(call))
        return withVersion(detail(shown), row.updated_at)
      },
    },
    {
      method: 'PUT',
      paths: ONE,
      access: change('update'),
      bodyCap: 'management',
      body: { schema: AuthenticatorPatch, optional: false, parameter: 'authenticator' },
      note: NOTES.replace,
      handle: async (call) => {
        await changes.replace(call, idOf(call), call.body as PatchBody)
        return done()
      },
    },
    {
      method: 'PATCH',
      paths: ONE,
      access: change('update'),
      bodyCap: 'management',
      body: { schema: AuthenticatorPatch, optional: false, parameter: 'authenticator' },
      note: NOTES.patch,
      handle: async (call) => {
        await changes.patch(call, idOf(call), call.body as PatchBody)
        return done()
      },
    },
    {
      method: 'DELETE',
      paths: ONE,
      access: change('delete'),
      bodyCap: 'management',
      body: null,
      note: NOTES.remove,
      handle: async (call) => {
        await store.run(deleteAuthenticator, { id: idOf(call) }, operationMeta(call, clock.now()))
        return done()
      },
    },
    {
      method: 'GET',
      paths: [`${MANAGEMENT}/identities/:id/authenticators`],
      access: { entity: 'identity', action: 'read' },
      bodyCap: 'management',
      body: null,
      note: describe.list('Authenticator', 'List the authenticators of an identity'),
      handle: async (call) => {
        const id = idOf(call)
        if (!(await findIdentity(store.db, id))) throw notFound('identity', id)
        const within = { table: AUTHENTICATOR_FILTER, predicate: equals('identity', id) }
        return listResponse({ store, table: AUTHENTICATOR_FILTER, show, within }, call)
      },
    },
  ])
}
