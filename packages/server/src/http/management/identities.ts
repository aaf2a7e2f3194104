import {
  type IdentityDisable as DisableBody,
  IdentityDisable,
  IdentityPatch,
  IdentityWrite,
  NoMembers,
  type IdentityPatch as PatchBody,
  type IdentityWrite as WriteBody,
} from '@countersign/contract'
import type { ControllerContext } from '../../controller-context.ts'
import { IDENTITY_FILTER } from '../../store/filter-tables.ts'
import type { StoredIdentity } from '../../store/identity-row.ts'
import { notFound } from '../../store/not-found.ts'
import { findIdentity, loadSurroundings, withAttributes } from '../../store/reads/identity-reads.ts'
import type { IdentityRow } from '../../store/schema.ts'
import { MANAGEMENT } from '../api-paths.ts'
import { detail, done, withVersion } from '../pipeline/envelope.ts'
import { listAnswer } from '../pipeline/list-answer.ts'
import type { Call, Route } from '../pipeline/route.ts'
import { writeMeta } from '../pipeline/write-meta.ts'
import { byWhom } from '../shared/by-whom.ts'
import { identityView } from '../shared/identity-view.ts'
import { parseRoleFilter } from '../shared/role-filter.ts'
import { idOf, resourceRoutes } from './resource-routes.ts'

const ONE = `${MANAGEMENT}/identities/:id`
const MAY_UPDATE = { entity: 'identity', action: 'update' } as const

/** The management of identities. */
export function identityRoutes({ store, clock }: ControllerContext): Route[] {
  const { now } = clock
  const show = async (identities: readonly StoredIdentity[]) => {
    const surroundings = await loadSurroundings(store.db, identities, now())
    return identities.map((identity) => identityView(identity, { ...surroundings(identity), now: now() }))
  }
  const meta = (call: Call) => writeMeta(call, now())
  return [
    ...resourceRoutes<WriteBody, PatchBody>({
      names: ['identities'],
      entity: 'identity',
      writeSchema: IdentityWrite,
      patchSchema: IdentityPatch,
      list: ({ query }) => {
        const showRows = async (rows: readonly IdentityRow[]) => show(await withAttributes(store.db, rows))
        const predicate = parseRoleFilter(query)
        const within = predicate && { table: IDENTITY_FILTER, predicate }
        return listAnswer({ store, table: IDENTITY_FILTER, show: showRows, ...(within && { within }) }, query)
      },
      get: async (_call, id) => {
        const identity = await findIdentity(store.db, id)
        if (!identity) throw notFound('identity', id)
        const [shown] = await show([identity])
        return withVersion(detail(shown), identity.updatedAt)
      },
      create: (call, id, body) => store.write('identity.create', { id, body, ...byWhom(call) }, meta(call)),
      replace: (call, id, body) => store.write('identity.replace', { id, body, ...byWhom(call) }, meta(call)),
      patch: (call, id, body) => store.write('identity.patch', { id, body, ...byWhom(call) }, meta(call)),
      remove: (call, id) => store.write('identity.delete', { id, ...byWhom(call) }, meta(call)),
    }),
    {
      method: 'POST',
      paths: [`${ONE}/disable`],
      access: MAY_UPDATE,
      bodyCap: 'management',
      body: { schema: IdentityDisable, optional: false },
      handle: async (call) => {
        const { durationMinutes } = call.body as DisableBody
        const args = { id: idOf(call), durationMinutes, ...byWhom(call) }
        await store.write('identity.disable', args, meta(call))
        return done()
      },
    },
    {
      method: 'POST',
      paths: [`${ONE}/enable`],
      access: MAY_UPDATE,
      bodyCap: 'management',
      body: { schema: NoMembers, optional: true },
      handle: async (call) => {
        await store.write('identity.enable', { id: idOf(call), ...byWhom(call) }, meta(call))
        return done()
      },
    },
  ]
}
