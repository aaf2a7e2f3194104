import {
  type IdentityDisable as DisableBody,
  IdentityDisable,
  IdentityPatch,
  IdentityWrite,
  NoMembers,
  type IdentityPatch as PatchBody,
  type IdentityWrite as WriteBody,
} from '@countersign/contract'
import { newId } from '@countersign/core'
import type { ControllerContext } from '../../controller-context.ts'
import { IDENTITY_FILTER } from '../../store/filter-tables.ts'
import type { StoredIdentity } from '../../store/identity-row.ts'
import { notFound } from '../../store/not-found.ts'
import { findIdentity, loadSurroundings, withAttributes } from '../../store/reads/identity-reads.ts'
import type { IdentityRow } from '../../store/schema.ts'
import { MANAGEMENT } from '../api-paths.ts'
import { created, detail, done } from '../pipeline/envelope.ts'
import { listAnswer } from '../pipeline/list-answer.ts'
import type { Route } from '../pipeline/route.ts'
import { writeMeta } from '../pipeline/write-meta.ts'
import { byWhom } from '../shared/by-whom.ts'
import { identityView } from '../shared/identity-view.ts'

const COLLECTION = [`${MANAGEMENT}/identities`]
const ONE = [`${MANAGEMENT}/identities/:id`]

const access = (action: 'create' | 'read' | 'update' | 'delete') => ({ entity: 'identity', action }) as const

/** The management of identities. */
export function identityRoutes({ store, clock }: ControllerContext): Route[] {
  const { now } = clock
  const show = async (identities: readonly StoredIdentity[]) => {
    const surroundings = await loadSurroundings(store.db, identities, now())
    return identities.map((identity) => identityView(identity, { ...surroundings(identity), now: now() }))
  }
  return [
    {
      method: 'GET',
      paths: COLLECTION,
      access: access('read'),
      bodyCap: 'management',
      body: null,
      handle: ({ query }) => {
        const showRows = async (rows: readonly IdentityRow[]) => show(await withAttributes(store.db, rows))
        return listAnswer({ store, table: IDENTITY_FILTER, show: showRows }, query)
      },
    },
    {
      method: 'POST',
      paths: COLLECTION,
      access: access('create'),
      bodyCap: 'management',
      body: { schema: IdentityWrite, optional: false },
      handle: async (call) => {
        const id = newId()
        const args = { id, body: call.body as WriteBody, ...byWhom(call) }
        await store.write('identity.create', args, writeMeta(call, now()))
        return created(call.collection, id)
      },
    },
    {
      method: 'GET',
      paths: ONE,
      access: access('read'),
      bodyCap: 'management',
      body: null,
      handle: async ({ params: { id = '' } }) => {
        const identity = await findIdentity(store.db, id)
        if (!identity) throw notFound('identity', id)
        const [shown] = await show([identity])
        return detail(shown)
      },
    },
    {
      method: 'PUT',
      paths: ONE,
      access: access('update'),
      bodyCap: 'management',
      body: { schema: IdentityWrite, optional: false },
      handle: async (call) => {
        const args = { id: call.params.id ?? '', body: call.body as WriteBody, ...byWhom(call) }
        await store.write('identity.replace', args, writeMeta(call, now()))
        return done()
      },
    },
    {
      method: 'PATCH',
      paths: ONE,
      access: access('update'),
      bodyCap: 'management',
      body: { schema: IdentityPatch, optional: false },
      handle: async (call) => {
        const args = { id: call.params.id ?? '', body: call.body as PatchBody, ...byWhom(call) }
        await store.write('identity.patch', args, writeMeta(call, now()))
        return done()
      },
    },
    {
      method: 'DELETE',
      paths: ONE,
      access: access('delete'),
      bodyCap: 'management',
      body: null,
      handle: async (call) => {
        await store.write('identity.delete', { id: call.params.id ?? '', ...byWhom(call) }, writeMeta(call, now()))
        return done()
      },
    },
    {
      method: 'POST',
      paths: [`${MANAGEMENT}/identities/:id/disable`],
      access: access('update'),
      bodyCap: 'management',
      body: { schema: IdentityDisable, optional: false },
      handle: async (call) => {
        const { durationMinutes } = call.body as DisableBody
        const args = { id: call.params.id ?? '', durationMinutes, ...byWhom(call) }
        await store.write('identity.disable', args, writeMeta(call, now()))
        return done()
      },
    },
    {
      method: 'POST',
      paths: [`${MANAGEMENT}/identities/:id/enable`],
      access: access('update'),
      bodyCap: 'management',
      body: { schema: NoMembers, optional: true },
      handle: async (call) => {
        const args = { id: call.params.id ?? '', ...byWhom(call) }
        await store.write('identity.enable', args, writeMeta(call, now()))
        return done()
      },
    },
  ]
}
