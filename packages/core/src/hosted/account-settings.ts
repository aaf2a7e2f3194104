import {
  type AccountSettings,
  API_ACCOUNT,
  type ApiAccountPatch,
  type ApiAccountWrite,
} from '@countersign/contract/organization'
import { fieldError } from '../app-error.ts'
import { type BodyRules, newSettings, patchedSettings, replacedSettings } from '../resource/apply-body.ts'
import { readExpiresAt } from '../resource/read-expires-at.ts'
import { checkPlainText } from '../text/plain-text.ts'
import { checkConditions } from './account-conditions.ts'

export type { AccountSettings } from '@countersign/contract/organization'

const RULES: BodyRules = { members: API_ACCOUNT.members, readers: { expiresAt: readExpiresAt } }

/** The settings of the API account that a POST creates. */
export function accountFromBody(body: ApiAccountWrite): AccountSettings {
  return checked(newSettings(RULES, body))
}

export function replacedAccount(current: AccountSettings, body: ApiAccountWrite): AccountSettings {
  return checked(replacedSettings(RULES, current, body))
}

export function patchedAccount(current: AccountSettings, patch: ApiAccountPatch): AccountSettings {
  return checked(patchedSettings(RULES, current, patch))
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
  if (account.conditions !== null) checkConditions(account.conditions)
  return account
}
