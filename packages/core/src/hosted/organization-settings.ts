import {
  ORGANIZATION,
  type OrganizationPatch,
  type OrganizationSettings,
  type OrganizationWrite,
} from '@countersign/contract/organization'
import { fieldError } from '../app-error.ts'
import { newSettings, patchedSettings } from '../resource/apply-body.ts'
import { checkPlainText } from '../text/plain-text.ts'

export type { OrganizationSettings } from '@countersign/contract/organization'

/** What can be set of an organization, from the body that makes it. */
export function organizationFromBody(body: OrganizationWrite): OrganizationSettings {
  return checked(newSettings(ORGANIZATION, body))
}

/** An organization after a PATCH or a PUT: what is not given stays. */
export function patchedOrganization(current: OrganizationSettings, patch: OrganizationPatch): OrganizationSettings {
  return checked(patchedSettings(ORGANIZATION, current, patch))
}

function checked(organization: OrganizationSettings): OrganizationSettings {
  for (const field of ['name', 'label'] as const) {
    if (organization[field] === '') throw fieldError(field, `${field} is required`, '')
    checkPlainText(field, organization[field])
  }
  return organization
}
