import type { IdentityEnrollment } from '@countersign/contract'
import { checkPlainText, fieldError, invalidField, newId, parseDatetime } from '@countersign/core'
import type { NewEnrollment } from '../operations/enrollment/add-enrollment.ts'
import type { Sealing } from '../platform/keys/sealing.ts'
import { newOneTimeToken } from './one-time-token.ts'

/** The method of an enrollment, and the user name for a password enrollment. */
type Kind = Pick<NewEnrollment, 'method' | 'username'>

const NO_CA = 'third-party certificate authorities are not supported'

/** Reads the kind from `{method, username, caId}`. Throws COULD_NOT_VALIDATE or INVALID_FIELD when it is not supported. */
export function enrollmentKind({ method, username, caId }: { method: string; username?: string; caId?: string }): Kind {
  if (method === 'ottca') throw invalidField('caId', NO_CA, caId)
  if (method === 'ott') return { method, username: null }
  return { method: 'updb', username: checkedUsername('username', username) }
}

/** Reads the kind from the `enrollment` member of a new identity. `ott` takes precedence over the others. */
export function identityEnrollmentKind({ ott, ottca, updb }: IdentityEnrollment): Kind | undefined {
  if (ott) return { method: 'ott', username: null }
  if (ottca) throw fieldError('enrollment.ottca', NO_CA, ottca)
  return updb ? { method: 'updb', username: checkedUsername('enrollment.updb', updb) } : undefined
}

/** Adds an id and a new one-time token to `given`. */
export function newEnrollment<Given extends object>(sealing: Sealing, given: Given) {
  const id = newId()
  return { id, ...newOneTimeToken(sealing, id), ...given }
}

/** Reads `expiresAt` as milliseconds since the epoch. Throws when it is not a date-time after `now`. */
export function parseExpiresAt(text: string, now: number): number {
  const instant = parseDatetime(text)
  if (instant === undefined) throw fieldError('expiresAt', 'expiresAt in body must be of type date-time', text)
  if (instant <= now) throw invalidField('expiresAt', 'must be after the current date and time', text)
  return instant
}

function checkedUsername(field: string, username: string | undefined): string {
  if (!username) throw fieldError(field, `${field} in body is required`, undefined)
  checkPlainText(field, username)
  return username
}
