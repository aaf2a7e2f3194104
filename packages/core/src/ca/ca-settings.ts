import { CA, type CaCreate, type CaPatch, type CaSettings, type CaWrite } from '@countersign/contract/ca'
import { fieldError } from '../app-error.ts'
import type { JsonObject } from '../json/json-value.ts'
import {
  type BodyRules,
  givenSettings,
  newSettings,
  patchedSettings,
  replacedSettings,
} from '../resource/apply-body.ts'
import { readTags } from '../tag/read-tags.ts'
import { checkPlainText } from '../text/plain-text.ts'
import { mergedClaim, validateClaim } from './external-id-claim.ts'

export type { CaSettings } from '@countersign/contract/ca'

const RULES: BodyRules = {
  members: CA.members,
  readers: {
    identityRoles: (roles: readonly string[]) => [...new Set(roles)].sort(),
    tags: (value: JsonObject) => readTags('tags', value),
  },
}

/** The CA that a POST creates. */
export function caFromBody(body: CaCreate): CaSettings {
  return newSettings(RULES, body)
}

/** The CA after a PUT. An empty name keeps the current one. */
export function replacedCa(current: CaSettings, body: CaWrite): CaSettings {
  return replacedSettings(RULES, current, { ...body, name: body.name || current.name })
}

/** The CA after a PATCH. Returns `current` itself when the body has no settings. */
export function patchedCa<Current extends CaSettings>(current: Current, body: CaPatch): Current | CaSettings {
  const { externalIdClaim, ...others } = settingsOf(body)
  const patched = patchedSettings<CaSettings>(RULES, current, others)
  if (externalIdClaim === undefined) return patched
  return { ...patched, externalIdClaim: externalIdClaim && mergedClaim(current.externalIdClaim, externalIdClaim) }
}

/** The names of the settings that a PATCH sets. A claim without members sets nothing. */
export function givenCaSettings(body: CaPatch): string[] {
  const { externalIdClaim, ...others } = settingsOf(body)
  const isClaimGiven =
    externalIdClaim !== undefined && (externalIdClaim === null || Object.keys(externalIdClaim).length > 0)
  return [...givenSettings(RULES, others), ...(isClaimGiven ? ['externalIdClaim'] : [])]
}

/** Existing clients send null for roles that stay, and exactly that, without anything else, to remove the claim. */
function settingsOf({ identityRoles, ...others }: CaPatch): CaPatch {
  if (identityRoles !== null) return { ...others, ...(identityRoles && { identityRoles }) }
  return Object.keys(others).length === 0 ? { externalIdClaim: null } : others
}

/** Throws when a field of the CA is invalid. */
export function validateCa({ name, identityNameFormat, externalIdClaim }: CaSettings): void {
  if (name.trim() === '') throw fieldError('name', 'name is required', name)
  checkPlainText('name', name)
  checkPlainText('identityNameFormat', identityNameFormat)
  if (externalIdClaim) validateClaim(externalIdClaim)
}
