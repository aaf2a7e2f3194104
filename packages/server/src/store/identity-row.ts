import type { IdentitySettings } from '@countersign/core'
import { readJsonColumn } from './json-column.ts'
import type { IdentityRow } from './schema.ts'

export interface StoredIdentity extends IdentitySettings {
  readonly id: string
  readonly typeId: string
  readonly isDefaultAdmin: boolean
  readonly disabledAt: number | null
  readonly disabledUntil: number | null
  /** The verified enrollment of one-time codes: who has one is asked for codes. */
  readonly verifiedTotpId: string | null
  readonly envInfo: Readonly<Record<string, string>>
  readonly sdkInfo: Readonly<Record<string, string>>
  readonly createdAt: number
  readonly updatedAt: number
}

export function identityFromRow(row: IdentityRow, attributes: readonly string[]): StoredIdentity {
  return {
    id: row.id,
    name: row.name,
    typeId: row.type_id,
    isAdmin: Boolean(row.is_admin),
    isDefaultAdmin: Boolean(row.is_default_admin),
    externalId: row.external_id,
    authPolicyId: row.auth_policy_id,
    attributes,
    permissions: readJsonColumn(row.permissions),
    appData: readJsonColumn(row.app_data),
    hosting: readJsonColumn(row.hosting),
    envInfo: readJsonColumn(row.env_info),
    sdkInfo: readJsonColumn(row.sdk_info),
    disabledAt: row.disabled_at,
    disabledUntil: row.disabled_until,
    verifiedTotpId: row.verified_totp_id,
    tags: readJsonColumn(row.tags),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

/** The columns of an identity; its attributes are rows of their own. */
export function identityColumns(identity: IdentitySettings) {
  return {
    name: identity.name,
    external_id: identity.externalId,
    is_admin: identity.isAdmin,
    auth_policy_id: identity.authPolicyId,
    permissions: JSON.stringify(identity.permissions),
    app_data: JSON.stringify(identity.appData),
    hosting: JSON.stringify(identity.hosting),
    tags: JSON.stringify(identity.tags),
  }
}

/** Disabled now: until somebody enables it, or until the instant given when it was disabled. */
export function isDisabled(identity: Pick<StoredIdentity, 'disabledAt' | 'disabledUntil'>, now: number): boolean {
  return identity.disabledAt !== null && (identity.disabledUntil === null || now < identity.disabledUntil)
}
