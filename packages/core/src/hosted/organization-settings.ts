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

/** The settings of the organization that a POST creates. */
export function organizationFromBody(body: OrganizationWrite): OrganizationSettings {
  return checked(newSettings(ORGANIZATION, body))
}

/** The organization after a PATCH or a PUT. Members that the body omits keep their values. */
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
