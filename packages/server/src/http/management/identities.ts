import {
  type IdentityDisable as DisableBody,
  IdentityDisable,
  IdentityPatch,
  IdentityWrite,
  NoMembers,
  type IdentityPatch as PatchBody,
  type IdentityWrite as WriteBody,
} from '@countersign/contract'
import { maySeeEnrollments, readsEverything } from '@countersign/core'
import { identityEnrollmentKind, newEnrollment } from '../../enrollment/new-enrollment.ts'
import { createIdentity } from '../../operations/identity/create-identity.ts'
import { deleteIdentity } from '../../operations/identity/delete-identity.ts'
import { disableIdentity, enableIdentity } from '../../operations/identity/disable-identity.ts'
import { patchIdentity, replaceIdentity } from '../../operations/identity/update-identity.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Settings } from '../../platform/settings/index.ts'
import { IDENTITY_ENROLLMENT_FILTER, IDENTITY_FILTER } from '../../store/filter-tables.ts'
import type { StoredIdentity } from '../../store/identity-row.ts'
import { notFound } from '../../store/not-found.ts'
import { loadCaNames } from '../../store/reads/ca-reads.ts'
import { loadEnrollmentsOf } from '../../store/reads/enrollment-reads.ts'
import { findIdentity, loadIdentityDetails, withAttributes } from '../../store/reads/identity-reads.ts'
import type { IdentityRow } from '../../store/schema.ts'
import type { Store } from '../../store/store.ts'
import { MANAGEMENT } from '../api-paths.ts'
import type { Call } from '../pipeline/call.ts'
import { detail, done, withVersion } from '../pipeline/envelope.ts'
import { listResponse } from '../pipeline/list-response.ts'
import { operationMeta } from '../pipeline/operation-meta.ts'
import { type Route, sessionOf } from '../pipeline/route.ts'
import { describe } from '../pipeline/route-note.ts'
import { createEnrollmentViews, type EnrollmentViewParts } from '../shared/enrollment-view.ts'
import { identityView } from '../shared/identity-view.ts'
import { parseRoleFilter } from '../shared/role-filter.ts'
import { namingOwners } from './name-owners.ts'
import { idOf, resourceRoutes } from './resource-routes.ts'

const ONE = `${MANAGEMENT}/identities/:id`

const CHANGE = { parameters: ['ifMatch', 'confirmLockOut'] } as const

interface IdentityRouteParts extends EnrollmentViewParts {
  readonly store: Store
  readonly clock: Clock
  readonly settings: Pick<Settings, 'enrollment'>
}

/** The management of identities. */
export function identityRoutes(parts: IdentityRouteParts): Route[] {
  const { store, clock, sealing, settings } = parts
  const { now } = clock
  const enrollmentViews = createEnrollmentViews(parts)

  const show = async (call: Call, identities: readonly StoredIdentity[]) => {
    const holder = sessionOf(call).identity
    const surroundings = await loadIdentityDetails(store.db, identities, now())
    const visible = identities.filter((identity) => maySeeEnrollments(holder, identity))
    const enrollments = await loadEnrollmentsOf(
      store.db,
      visible.map(({ id }) => id),
    )
    const caIds = [...enrollments.values()].flat().flatMap((row) => row.ca_id ?? [])
    const caNames = await loadCaNames(store.db, caIds)
    return identities.map((identity) => {
      const rows = enrollments.get(identity.id) ?? []
      const enrollment = enrollmentViews.ofIdentity(rows, caNames, { holder, owner: identity })
      return identityView(identity, { ...surroundings(identity), enrollment, now: now() })
    })
  }

  const requestedEnrollment = ({ enrollment }: WriteBody) => {
    const kind = enrollment && identityEnrollmentKind(enrollment)
    const expiresAt = now() + settings.enrollment.tokenSeconds * 1000
    return kind && newEnrollment(sealing, { ...kind, expiresAt })
  }

  const meta = (call: Call) => operationMeta(call, now())
  return namingOwners(store, [
    ...resourceRoutes<WriteBody, PatchBody>(clock, {
      names: ['identities'],
      entity: 'identity',
      words: {
        schema: 'Identity',
        noun: 'an identity',
        plural: 'identities',
        listParameters: ['roleFilter', 'roleSemantic'],
      },
      writeSchema: IdentityWrite,
      patchSchema: IdentityPatch,
      list: (call) => {
        const showRows = async (rows: readonly IdentityRow[]) => show(call, await withAttributes(store.db, rows))
        const table = readsEverything(sessionOf(call).identity) ? IDENTITY_ENROLLMENT_FILTER : IDENTITY_FILTER
        const predicate = parseRoleFilter(call.query)
        const within = predicate && { table, predicate }
        return listResponse({ store, table, show: showRows, now: now(), ...(within && { within }) }, call)
      },
      get: async (call, id) => {
        const identity = await findIdentity(store.db, id)
        if (!identity) throw notFound('identity', id)
        const [shown] = await show(call, [identity])
        return withVersion(detail(shown), identity.updatedAt)
      },
      create: (call, id, body) => {
        return store.run(createIdentity, { id, body, enrollment: requestedEnrollment(body) }, meta(call))
      },
      replace: (call, id, body) => store.run(replaceIdentity, { id, body }, meta(call)),
      patch: (call, id, body) => store.run(patchIdentity, { id, body }, meta(call)),
      remove: (call, id) => store.run(deleteIdentity, { id }, meta(call)),
    }),
    {
      method: 'POST',
      paths: [`${ONE}/disable`],
      access: disableIdentity.access,
      bodyCap: 'management',
      body: { schema: IdentityDisable, optional: false, parameter: 'disable' },
      note: describe.done('Disable an identity and end its sessions', CHANGE),
      handle: async (call) => {
        const { durationMinutes } = call.body as DisableBody
        await store.run(disableIdentity, { id: idOf(call), durationMinutes }, meta(call))
        return done()
      },
    },
    {
      method: 'POST',
      paths: [`${ONE}/enable`],
      access: enableIdentity.access,
      bodyCap: 'management',
      body: { schema: NoMembers, optional: true },
      note: describe.done('Enable an identity again', CHANGE),
      handle: async (call) => {
        await store.run(enableIdentity, { id: idOf(call) }, meta(call))
        return done()
      },
    },
  ])
}
