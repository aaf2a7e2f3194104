import type { AccountRole, ApiAccountPatch, ApiAccountWrite } from '@countersign/contract'
import { fieldError } from '../app-error.ts'
import { checkPlainText } from '../text/plain-text.ts'

/** What can be set of an API account after it was made. */
export interface AccountSettings {
  readonly name: string
  readonly contactEmail: string | null
  readonly description: string | null
  readonly role: AccountRole
  readonly active: boolean
}

/** Blank text means "not given". */
export function accountFromBody(body: ApiAccountWrite): AccountSettings {
  return checked({
    name: body.name,
    contactEmail: body.contactEmail || null,
    description: body.description || null,
    role: body.role ?? 'admin',
    active: body.active ?? true,
  })
}

/** Blank text takes away what can be left out. */
export function patchedAccount(current: AccountSettings, patch: ApiAccountPatch): AccountSettings {
  return checked({
    name: patch.name ?? current.name,
    contactEmail: patch.contactEmail === undefined ? current.contactEmail : patch.contactEmail || null,
    description: patch.description === undefined ? current.description : patch.description || null,
    role: patch.role ?? current.role,
    active: patch.active ?? current.active,
  })
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
