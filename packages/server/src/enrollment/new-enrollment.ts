import type { IdentityEnrollment } from '@countersign/contract'
import { checkPlainText, fieldError, invalidField, newId, parseDatetime } from '@countersign/core'
import type { NewEnrollment } from '../operations/enrollment/add-enrollment.ts'
import type { Sealing } from '../platform/keys/sealing.ts'
import { newOneTimeToken } from './one-time-token.ts'

/** What identifies an enrollment's kind: its method, and the user name where the method is updb. */
type Kind = Pick<NewEnrollment, 'method' | 'username'>

const NO_CA = 'there are no third-party certificate authorities here'

/** The kind that `{method, username, caId}` asks for. COULD_NOT_VALIDATE or INVALID_FIELD when it cannot be had. */
export function enrollmentKind({ method, username, caId }: { method: string; username?: string; caId?: string }): Kind {
  if (method === 'ottca') throw invalidField('caId', NO_CA, caId)
  if (method === 'ott') return { method, username: null }
  return { method: 'updb', username: checkedUsername('username', username) }
}

/** The kind that the `enrollment` member of a new identity asks for; of several only `ott` is made. */
export function identityEnrollmentKind({ ott, ottca, updb }: IdentityEnrollment): Kind | undefined {
  if (ott) return { method: 'ott', username: null }
  if (ottca) throw fieldError('enrollment.ottca', NO_CA, ottca)
  return updb ? { method: 'updb', username: checkedUsername('enrollment.updb', updb) } : undefined
}

/** A new enrollment with a token of its own. */
export function newEnrollment<Given extends object>(sealing: Sealing, given: Given) {
  const id = newId()
  return { id, ...newOneTimeToken(sealing, id), ...given }
}

/** When a token ends, as the caller says it. */
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
