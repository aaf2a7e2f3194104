import type { EnrollmentMethod, IdentityEnrollment } from '@countersign/contract'
import { checkPlainText, fieldError, invalidField, newId, parseDatetime } from '@countersign/core'
import type { NewEnrollment } from '../operations/enrollment/add-enrollment.ts'
import type { Sealing } from '../platform/keys/sealing.ts'
import { newOneTimeToken } from './one-time-token.ts'

/** The method of an enrollment, with the user name for a password and the CA for a certificate of a third party. */
type Kind = Pick<NewEnrollment, 'method' | 'username' | 'caId'>

const OTT: Kind = { method: 'ott', username: null, caId: null }

interface GivenKind {
  readonly method: EnrollmentMethod
  readonly username?: string
  readonly caId?: string
}

/** Reads the kind from a body. Throws COULD_NOT_VALIDATE or INVALID_FIELD when a member that the method needs is missing. */
export function enrollmentKind({ method, username, caId }: GivenKind): Kind {
  if (method === 'ott') return OTT
  if (method === 'updb') return { method, username: checkedUsername('username', username), caId: null }
  if (!caId) throw invalidField('caId', 'not found', caId ?? '')
  return { method, username: null, caId }
}

/** Reads the kind from the `enrollment` member of a new identity. `ott` takes precedence over the others. */
export function identityEnrollmentKind({ ott, ottca, updb }: IdentityEnrollment): Kind | undefined {
  if (ott) return OTT
  if (ottca) return { method: 'ottca', username: null, caId: ottca }
  return updb ? { method: 'updb', username: checkedUsername('enrollment.updb', updb), caId: null } : undefined
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
