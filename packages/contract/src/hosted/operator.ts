import { optional, text } from '../body-members.ts'
import { field, type PatchOf, type SettingsOf } from '../resource/field.ts'
import { resource } from '../resource/resource.ts'
import Type, { type Static } from '../schema/type.ts'

/** What one organization may have of each kind: by default, and at most when the operator sets it. */
export const QUOTA_LIMITS = {
  networks: { default: 1_000, max: 10_000 },
  accounts: { default: 1_000, max: 10_000 },
  providers: { default: 50, max: 500 },
  clientsPerAccount: { default: 20, max: 100 },
} as const
export type QuotaName = keyof typeof QUOTA_LIMITS

const quota = (name: QuotaName, description: string) =>
  field(Type.Integer({ minimum: 0, maximum: QUOTA_LIMITS[name].max }), {
    description: `${description}. Default: ${QUOTA_LIMITS[name].default}`,
    default: null,
    keptByPut: true,
  })

/** The quotas of an organization that the operator has set; null for the default. A body without one keeps it. */
export const ORGANIZATION_QUOTAS = resource({
  networks: quota('networks', 'Networks that are not deleted'),
  accounts: quota('accounts', 'API accounts'),
  providers: quota('providers', 'Identity providers'),
  clientsPerAccount: quota('clientsPerAccount', 'Clients of one API account, with those that rotations have replaced'),
})

/** Body of `POST …/suspend`. */
export const OrganizationSuspend = Type.Object({
  /** Shown to the organization's accounts when they are refused. */
  reason: optional(text(256)),
})

export const OrganizationQuotasPatch = ORGANIZATION_QUOTAS.patch
export type OrganizationQuotas = SettingsOf<typeof ORGANIZATION_QUOTAS>
export type OrganizationQuotasPatch = PatchOf<typeof ORGANIZATION_QUOTAS>
export type OrganizationSuspend = Static<typeof OrganizationSuspend>
