import {
  type AccountSettings,
  API_ACCOUNT,
  type ApiAccountPatch,
  type ApiAccountWrite,
} from '@countersign/contract/organization'
import { fieldError } from '../app-error.ts'
import { newSettings, patchedSettings, replacedSettings } from '../resource/apply-body.ts'
import { checkPlainText } from '../text/plain-text.ts'

export type { AccountSettings } from '@countersign/contract/organization'

/** The settings of the API account that a POST creates. */
export function accountFromBody(body: ApiAccountWrite): AccountSettings {
  return checked(newSettings(API_ACCOUNT, body))
}

export function replacedAccount(current: AccountSettings, body: ApiAccountWrite): AccountSettings {
  return checked(replacedSettings(API_ACCOUNT, current, body))
}

export function patchedAccount(current: AccountSettings, patch: ApiAccountPatch): AccountSettings {
  return checked(patchedSettings(API_ACCOUNT, current, patch))
}

function checked(account: AccountSettings): AccountSettings {
  const { name, contactEmail, description } = account
  if (name === '') throw fieldError('name', 'name is required', name)
  checkPlainText('name', name)
  if (contactEmail !== null) checkPlainText('contactEmail', contactEmail)
  if (description !== null) checkPlainText('description', description)
  if (contactEmail !== null && !contactEmail.includes('@')) {
    throw fieldError('contactEmail', 'contactEmail must be an e-mail address', contactEmail)
  }
  return account
}
