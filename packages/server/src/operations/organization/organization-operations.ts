import type { OrganizationPatch, OrganizationWrite } from '@countersign/contract'
import { AppError, checkPlainText, fieldError } from '@countersign/core'
import type { Kysely } from 'kysely'
import type { OrganizationRow } from '../../store/hosted-schema.ts'
import { notFound } from '../../store/not-found.ts'
import { insertRow } from '../../store/prepared.ts'
import { findOrganization } from '../../store/reads/hosted-reads.ts'
import type { Database } from '../../store/schema.ts'
import { refusingDuplicates } from '../../store/unique-violation.ts'
import type { WriteContext, WriteOperation } from '../../store/write-operation.ts'

const ENTITY = 'organizations'

export interface NewOrganization {
  readonly id: string
  readonly networkGroupId: string
  readonly body: OrganizationWrite
}

/** An organization and its first network group: every network belongs to one. */
const createOrganization: WriteOperation<NewOrganization, void> = async (context, organization) => {
  await insertOrganization(context, { ...organization, isLocal: false })
}

export async function insertOrganization(
  context: WriteContext,
  { id, networkGroupId, body, isLocal }: NewOrganization & { isLocal: boolean },
): Promise<void> {
  const { db, now } = context
  const { name, label, active = true } = checked(body)
  const times = { created_at: now, updated_at: now }
  await refusingDuplicates({ label }, () =>
    insertRow(db, 'organizations', { id, label, name, active, is_local: isLocal, ...times }),
  )
  await insertRow(db, 'network_groups', {
    id: networkGroupId,
    organization_id: id,
    name,
    short_name: label,
    ...times,
  })
  context.changed({ entity: ENTITY, id, action: 'created' })
}

const updateOrganization: WriteOperation<{ id: string; body: OrganizationPatch }, void> = async (
  context,
  { id, body },
) => {
  const current = await getOrganization(context.db, id)
  const next = checked({
    name: body.name ?? current.name,
    label: body.label ?? current.label,
    active: body.active ?? Boolean(current.active),
  })
  if (current.is_local && !next.active) {
    throw new AppError('ENTITY_CAN_NOT_BE_UPDATED', {
      message: 'the organization that owns this controller stays active',
    })
  }
  await refusingDuplicates({ label: next.label }, () =>
    context.db
      .updateTable('organizations')
      .set({ ...next, updated_at: context.now })
      .where('id', '=', id)
      .execute(),
  )
  context.changed({ entity: ENTITY, id, action: 'updated' })
}

/** Only an empty one: what hangs on it is taken away first. */
const deleteOrganization: WriteOperation<{ id: string }, void> = async (context, { id }) => {
  const { db } = context
  const organization = await getOrganization(db, id)
  if (organization.is_local) {
    throw new AppError('ENTITY_CAN_NOT_BE_DELETED', { message: 'the organization owns this controller' })
  }
  for (const table of ['api_accounts', 'identity_providers', 'networks'] as const) {
    const row = await db.selectFrom(table).select('id').where('organization_id', '=', id).executeTakeFirst()
    if (row) {
      const message = `the organization still has ${table.replace('_', ' ')}, one with id ${row.id}`
      throw new AppError('CAN_NOT_DELETE_REFERENCED_ENTITY', { message })
    }
  }
  await db.deleteFrom('network_groups').where('organization_id', '=', id).execute()
  await db.deleteFrom('organizations').where('id', '=', id).execute()
  context.changed({ entity: ENTITY, id, action: 'deleted' })
}

export const ORGANIZATION_WRITES = {
  'organization.create': createOrganization,
  'organization.update': updateOrganization,
  'organization.delete': deleteOrganization,
}

async function getOrganization(db: Kysely<Database>, id: string): Promise<OrganizationRow> {
  const row = await findOrganization(db, id)
  if (!row) throw notFound('organization', id)
  return row
}

function checked<Body extends OrganizationWrite>(body: Body): Body {
  for (const field of ['name', 'label'] as const) {
    if (body[field] === '') throw fieldError(field, `${field} is required`, '')
    checkPlainText(field, body[field])
  }
  return body
}
