import {
  OrganizationQuotasPatch,
  OrganizationSuspend,
  type OrganizationQuotasPatch as QuotasBody,
  type OrganizationSuspend as SuspendBody,
} from '@countersign/contract'
import { fieldError } from '@countersign/core'
import { setQuotas } from '../../operations/organization/set-quotas.ts'
import { resumeOrganization, suspendOrganization } from '../../operations/organization/suspend-organization.ts'
import type { Clock } from '../../platform/clock.ts'
import type { OrganizationRow } from '../../store/hosted-schema.ts'
import { getOrganization } from '../../store/reads/organization-reads.ts'
import { listOrganizations, loadUsage } from '../../store/reads/organization-usage-reads.ts'
import type { Store } from '../../store/store.ts'
import type { Call } from '../pipeline/call.ts'
import { withVersion } from '../pipeline/envelope.ts'
import type { Query } from '../pipeline/query.ts'
import type { Route, RouteResponse } from '../pipeline/route.ts'
import { hostedMeta } from './hosted-meta.ts'
import { partOf, readListPart } from './identity-list.ts'
import { readNameMatcher } from './name-pattern.ts'
import { operatorView, QUOTAS_READ_ONLY, quotasView } from './operator-views.ts'

interface OperatorRouteParts {
  readonly store: Pick<Store, 'db' | 'run'>
  readonly clock: Clock
}

const COLLECTION = '/identity/v1/operator/organizations'
const ONE = `${COLLECTION}/:id`
const NO_USAGE = { networks: 0, accounts: 0, providers: 0, clients: 0, lastUsedAt: null }

/** All organizations, for administrators of the one that owns this controller. What the others have is counted, not shown. */
export function operatorRoutes({ store, clock }: OperatorRouteParts): Route[] {
  const show = async (rows: readonly OrganizationRow[]) => {
    const ids = rows.map(({ id }) => id)
    const usage = await loadUsage(store.db, ids)
    return rows.map((row) => operatorView(row, usage.get(row.id) ?? NO_USAGE))
  }

  const showOne = async (id: string): Promise<RouteResponse> => {
    const row = await getOrganization(store.db, id)
    const [json] = await show([row])
    return withVersion({ status: 200, json }, row.updated_at)
  }

  const showQuotas = async (id: string): Promise<RouteResponse> => {
    const row = await getOrganization(store.db, id)
    return withVersion({ status: 200, json: quotasView(row) }, row.updated_at)
  }

  const metaOf = (call: Call) => hostedMeta(call, clock.now())
  const idOf = ({ params: { id = '' } }: Call): string => id

  const base = { bodyCap: 'management', body: null, note: null, access: { hosted: 'operator' } } as const
  return [
    {
      ...base,
      method: 'GET',
      paths: [COLLECTION],
      handle: async ({ query }) => {
        const isWanted = query.get('name') ? readNameMatcher(query, 'name') : undefined
        // The database does not fold names as patterns do: with one, the list is filtered here, before it is paged.
        const part = readListPart(query)
        const page = isWanted ? undefined : part
        const rows = await listOrganizations(store.db, { active: readActive(query), page })
        const wanted = isWanted
          ? partOf(
              rows.filter(({ name }) => isWanted(name)),
              part,
            )
          : rows
        return { status: 200, json: await show(wanted) }
      },
    },
    { ...base, method: 'GET', paths: [ONE], handle: (call) => showOne(idOf(call)) },
    {
      ...base,
      method: 'POST',
      paths: [`${ONE}/suspend`],
      body: { schema: OrganizationSuspend, optional: true },
      handle: async (call) => {
        const { reason } = (call.body ?? {}) as SuspendBody
        await store.run(suspendOrganization, { id: idOf(call), reason: reason || null }, metaOf(call))
        return showOne(idOf(call))
      },
    },
    {
      ...base,
      method: 'POST',
      paths: [`${ONE}/resume`],
      handle: async (call) => {
        await store.run(resumeOrganization, { id: idOf(call) }, metaOf(call))
        return showOne(idOf(call))
      },
    },
    { ...base, method: 'GET', paths: [`${ONE}/quotas`], handle: (call) => showQuotas(idOf(call)) },
    ...(['PUT', 'PATCH'] as const).map(
      (method): Route => ({
        ...base,
        method,
        paths: [`${ONE}/quotas`],
        body: { schema: OrganizationQuotasPatch, optional: false, readOnly: QUOTAS_READ_ONLY },
        handle: async (call) => {
          await store.run(setQuotas, { id: idOf(call), body: call.body as QuotasBody }, metaOf(call))
          return showQuotas(idOf(call))
        },
      }),
    ),
  ]
}

function readActive(query: Query): boolean | undefined {
  const given = query.get('active')
  if (given === undefined || given === '') return undefined
  if (given === 'true' || given === 'false') return given === 'true'
  throw fieldError('active', 'active must be true or false', given)
}
