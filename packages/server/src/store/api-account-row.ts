import type { AccountRole } from '@countersign/contract'
import type { AccountSettings } from '@countersign/core'
import type { ApiAccountRow } from './hosted-schema.ts'

export function accountColumns({ name, contactEmail, description, role, active }: AccountSettings) {
  return { name, contact_email: contactEmail, description, role, active }
}

export function accountSettingsFromRow(row: ApiAccountRow): AccountSettings {
  return {
    name: row.name,
    contactEmail: row.contact_email,
    description: row.description,
    role: row.role as AccountRole,
    active: Boolean(row.active),
  }
}
