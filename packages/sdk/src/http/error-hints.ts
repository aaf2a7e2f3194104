import { isDuplicate } from '../countersign-error.ts'

/** What to do about an error response, by its code. */
const BY_CODE: Readonly<Record<string, string>> = {
  CAN_NOT_DELETE_REFERENCED_ENTITY: 'first change or delete the items that reference it',
  ENROLLMENT_IDENTITY_ALREADY_ENROLLED: 'log in with the token, or ask an administrator for a one-time token',
  FRESH_LOGIN_REQUIRED: 'log in again, then repeat the change',
  TRUSTED_LOGIN_REQUIRED: 'log in by another method, or have an administrator trust the signer or CA',
  INVALID_AUTH: 'check the credentials; an administrator can look up the reason in auth-decisions by the request id',
  INVALID_FILTER: 'check the syntax of the filter, and the names of its members: docs/api.md',
  INVALID_SORT_IDENTIFIER: 'sort by a member that lists can be sorted by: docs/api.md',
  INVALID_PAGINATION: 'give a limit and an offset that are whole numbers',
  MFA_INVALID_TOKEN: 'use a current code; each is valid once',
  NOT_UNIQUE: 'choose another value, or change the item that has it',
  SCIM_TOKEN_LIMIT: 'delete a token of the signer first',
  TEST_CASE_FAILED: 'change the settings, or the test cases with them',
  WOULD_LOCK_OUT: 'keep an enabled administrator who can log in',
  SERVER_TOO_MANY_REQUESTS: 'wait before trying again',
}

/** The same by HTTP status, for codes without a hint of their own. */
const BY_STATUS: Readonly<Record<number, string>> = {
  401: 'log in again, or ask an administrator for the permission',
  403: 'ask an administrator for the permission',
  412: 'it has changed in the meantime: read it again',
  413: 'send less at once',
  429: 'wait before trying again',
  503: 'try again later',
}

const DUPLICATE = 'the value is in use already: choose another, or change the item that has it'

/** What to do about an error response. Codes come from a server, and `constructor` is a member of every object. */
export function hintFor({
  code,
  status,
  reason,
}: {
  readonly code: string
  readonly status: number
  readonly reason: string
}): string | undefined {
  if (Object.hasOwn(BY_CODE, code)) return BY_CODE[code]
  if (isDuplicate(reason)) return DUPLICATE
  return BY_STATUS[status]
}
