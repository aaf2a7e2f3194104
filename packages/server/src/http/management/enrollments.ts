import {
  type EnrollmentCreate as CreateBody,
  EnrollmentCreate,
  EnrollmentWindow,
  type EnrollmentWindow as WindowBody,
} from '@countersign/contract'
import { type JsonObject, maySeeEnrollments, readTags } from '@countersign/core'
import { enrollmentKind, newEnrollment, parseExpiresAt } from '../../enrollment/new-enrollment.ts'
import { newOneTimeToken } from '../../enrollment/one-time-token.ts'
import { reEnroll } from '../../operations/authenticator/re-enroll.ts'
import { createEnrollment } from '../../operations/enrollment/create-enrollment.ts'
import { deleteEnrollment, refreshEnrollment } from '../../operations/enrollment/update-enrollment.ts'
import type { Clock } from '../../platform/clock.ts'
import { ENROLLMENT_FILTER, ENROLLMENT_OWNER_FILTER } from '../../store/filter-tables.ts'
import { notFound } from '../../store/not-found.ts'
import { findEnrollment, loadEnrollmentOwners } from '../../store/reads/enrollment-reads.ts'
import { findIdentity } from '../../store/reads/identity-reads.ts'
import type { EnrollmentRow } from '../../store/schema.ts'
import type { Store } from '../../store/store.ts'
import { MANAGEMENT } from '../api-paths.ts'
import type { Call } from '../pipeline/call.ts'
import { created, detail, done } from '../pipeline/envelope.ts'
import { listResponse } from '../pipeline/list-response.ts'
import { operationMeta } from '../pipeline/operation-meta.ts'
import { type Route, sessionOf } from '../pipeline/route.ts'
import { describe } from '../pipeline/route-note.ts'
import { createEnrollmentViews, type EnrollmentViewParts } from '../shared/enrollment-view.ts'
import { equals, withSeenEnrollments } from '../shared/row-conditions.ts'
import { namingOwners } from './name-owners.ts'
import { idOf } from './resource-routes.ts'

const COLLECTION = [`${MANAGEMENT}/enrollments`]
const ONE = [`${MANAGEMENT}/enrollments/:id`]
const OWNER = { isAdmin: 'identity.isAdmin', permissions: 'identity.permissions' }

const access = (action: 'create' | 'read' | 'update' | 'delete') => ({ entity: 'enrollment', action }) as const

interface EnrollmentRouteParts extends EnrollmentViewParts {
  readonly store: Store
  readonly clock: Clock
}

/**
 * The enrollments of identities. A client that holds the one-time token becomes the identity, so callers without power over the identity
 * neither see nor change its enrollments. Callers that may read everything see them without the token.
 */
export function enrollmentRoutes(parts: EnrollmentRouteParts): Route[] {
  const { store, clock, sealing } = parts
  const views = createEnrollmentViews(parts)
  const meta = (call: Call) => operationMeta(call, clock.now())

  const show = async (call: Call, rows: readonly EnrollmentRow[]) => {
    const holder = sessionOf(call).identity
    const owners = await loadEnrollmentOwners(
      store.db,
      rows.map((row) => row.identity_id),
    )
    return rows.flatMap((row) => {
      const owner = owners.get(row.identity_id)
      if (!owner || !maySeeEnrollments(holder, owner)) return []
      return [views.detail(row, { holder, owner })]
    })
  }

  const list = (call: Call, identityId?: string) => {
    const terms = [
      withSeenEnrollments(sessionOf(call).identity, OWNER),
      ...(identityId === undefined ? [] : [equals('identity', identityId)]),
    ]
    const within = { table: ENROLLMENT_OWNER_FILTER, predicate: { kind: 'and', terms } as const }
    const showRows = (rows: readonly EnrollmentRow[]) => show(call, rows)
    return listResponse({ store, table: ENROLLMENT_FILTER, show: showRows, within }, call)
  }

  return namingOwners(store, [
    {
      method: 'GET',
      paths: COLLECTION,
      access: access('read'),
      bodyCap: 'management',
      body: null,
      note: describe.list('Enrollment', 'List enrollments'),
      handle: (call) => list(call),
    },
    {
      method: 'POST',
      paths: COLLECTION,
      access: access('create'),
      bodyCap: 'management',
      body: { schema: EnrollmentCreate, optional: false, parameter: 'enrollment' },
      note: describe.created('Create an enrollment'),
      handle: async (call) => {
        const body = call.body as CreateBody
        const { identityId } = body
        const expiresAt = parseExpiresAt(body.expiresAt, clock.now())
        const tags = readTags('tags', (body.tags ?? {}) as JsonObject)
        const enrollment = newEnrollment(sealing, { ...enrollmentKind(body), expiresAt, tags })
        await store.run(createEnrollment, { ...enrollment, identityId }, meta(call))
        return created(call.collection, enrollment.id)
      },
    },
    {
      method: 'GET',
      paths: ONE,
      access: access('read'),
      bodyCap: 'management',
      body: null,
      note: describe.one('Enrollment', 'Get an enrollment'),
      handle: async (call) => {
        const row = await findEnrollment(store.db, idOf(call))
        const [shown] = await show(call, row ? [row] : [])
        if (!shown) throw notFound('enrollment', idOf(call))
        return detail(shown)
      },
    },
    {
      method: 'DELETE',
      paths: ONE,
      access: access('delete'),
      bodyCap: 'management',
      body: null,
      note: describe.done('Delete an enrollment'),
      handle: async (call) => {
        await store.run(deleteEnrollment, { id: idOf(call) }, meta(call))
        return done()
      },
    },
    {
      method: 'POST',
      paths: [`${MANAGEMENT}/enrollments/:id/refresh`],
      access: access('update'),
      bodyCap: 'management',
      body: { schema: EnrollmentWindow, optional: false, parameter: 'refresh' },
      note: describe.done('Extend an enrollment, with a new token'),
      handle: async (call) => {
        const id = idOf(call)
        const expiresAt = parseExpiresAt((call.body as WindowBody).expiresAt, clock.now())
        const token = newOneTimeToken(sealing, id)
        await store.run(refreshEnrollment, { id, ...token, expiresAt }, meta(call))
        return done()
      },
    },
    {
      method: 'GET',
      paths: [`${MANAGEMENT}/identities/:id/enrollments`],
      access: access('read'),
      bodyCap: 'management',
      body: null,
      note: describe.list('Enrollment', 'List the open enrollments of an identity'),
      handle: async (call) => {
        const id = idOf(call)
        if (!(await findIdentity(store.db, id))) throw notFound('identity', id)
        return list(call, id)
      },
    },
    {
      method: 'POST',
      paths: [`${MANAGEMENT}/authenticators/:id/re-enroll`],
      access: { entity: 'identity', action: 'update', isWhole: true },
      bodyCap: 'management',
      body: { schema: EnrollmentWindow, optional: false, parameter: 'reEnroll' },
      note: describe.created('Delete an authenticator and create an enrollment for its identity', {
        parameters: ['confirmLockOut'],
      }),
      handle: async (call) => {
        const expiresAt = parseExpiresAt((call.body as WindowBody).expiresAt, clock.now())
        const enrollment = newEnrollment(sealing, { expiresAt })
        await store.run(reEnroll, { id: idOf(call), enrollment }, meta(call))
        return created('enrollments', enrollment.id)
      },
    },
  ])
}
