import {
  findWorkloadPreset,
  type WorkloadPlatform,
  type WorkloadPreset,
  workloadTargetForm,
} from '@countersign/contract/workload-presets'
import type { AccountInput } from '@countersign/sdk'
import type { Account } from '../../api/wire.ts'
import { type ClaimRow, claimRowRules, toClaimValues } from '../../form/claim-rows.ts'
import { fromLocalTime } from '../../form/local-time.ts'
import { ACCOUNT_RULES } from './account-values.ts'

/** A platform with a preset, or `other` for conditions of one's own. */
export type PlatformChoice = WorkloadPlatform | 'other'

export const PLATFORMS: readonly { readonly value: PlatformChoice; readonly label: string }[] = [
  { value: 'github', label: 'GitHub Actions' },
  { value: 'gitlab', label: 'GitLab CI' },
  { value: 'kubernetes', label: 'Kubernetes' },
  { value: 'other', label: 'Another platform' },
]

export type FederatedValues = {
  name: string
  description: string
  role: Account['role']
  platform: PlatformChoice
  target: string
  environment: string
  branch: string
  /** The id of a provider record, or empty to add one for the platform. */
  identityProviderId: string
  conditions: ClaimRow[]
  confirmBroad: boolean
  expiresAt: string
}

export const NEW_FEDERATED: FederatedValues = {
  name: '',
  description: '',
  role: 'read-only',
  platform: 'github',
  target: '',
  environment: '',
  branch: '',
  identityProviderId: '',
  conditions: [],
  confirmBroad: false,
  expiresAt: '',
}

/** The preset of the chosen platform; undefined while the target is incomplete, and for another platform. */
export function presetOf({ platform, target, environment, branch }: FederatedValues): WorkloadPreset | undefined {
  if (platform === 'other') return undefined
  return findWorkloadPreset(platform, { target, environment: environment || undefined, branch: branch || undefined })
}

/** The request without its provider. The rows add conditions to those of the preset. */
export function toFederatedInput(values: FederatedValues): Omit<AccountInput, 'identityProviderId'> {
  const { name, description, role, conditions, expiresAt } = values
  return {
    name,
    kind: 'federated',
    role,
    ...(description && { description }),
    conditions: { ...presetOf(values)?.conditions, ...toClaimValues(conditions) },
    ...(expiresAt && { expiresAt: fromLocalTime(expiresAt) }),
  }
}

export const FEDERATED_RULES = {
  name: ACCOUNT_RULES.name,
  description: ACCOUNT_RULES.description,
  target: (_target: string, values: FederatedValues): string | null => {
    if (values.platform === 'other' || presetOf(values)) return null
    return `Write ${workloadTargetForm(values.platform)}`
  },
  identityProviderId: (id: string, values: FederatedValues): string | null =>
    id || presetOf(values)?.issuer ? null : 'Choose a provider',
  conditions: claimRowRules('conditions'),
}
