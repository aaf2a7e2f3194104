import type { EnrollmentJwt } from '../../enrollment/enrollment-jwt.ts'
import { openOneTimeToken } from '../../enrollment/one-time-token.ts'
import type { Sealing } from '../../platform/keys/sealing.ts'
import { readJsonColumn } from '../../store/json-column.ts'
import type { EnrollmentRow } from '../../store/schema.ts'
import { selfLink, timestamp } from '../pipeline/envelope.ts'
import { type IdentityName, identityReference } from './identity-view.ts'

export interface EnrollmentViewParts {
  readonly sealing: Sealing
  readonly enrollmentJwt: EnrollmentJwt
}

interface Shown {
  readonly withToken: boolean
}

/** Enrollments as administrators see them. The token is a credential: it is shown only `withToken`. */
export function createEnrollmentViews({ sealing, enrollmentJwt }: EnrollmentViewParts) {
  const secretsOf = (row: EnrollmentRow, { withToken }: Shown) => {
    const token = withToken ? openOneTimeToken(sealing, row) : undefined
    return token === undefined ? {} : { token, jwt: enrollmentJwt(row, token) }
  }

  return {
    detail: (row: EnrollmentRow, identity: IdentityName, shown: Shown) => ({
      _links: selfLink('enrollments', row.id),
      id: row.id,
      createdAt: timestamp(row.created_at),
      updatedAt: timestamp(row.updated_at),
      tags: readJsonColumn(row.tags),
      identity: identityReference(identity),
      identityId: row.identity_id,
      method: row.method,
      ...(row.username !== null && { username: row.username }),
      ...secretsOf(row, shown),
      expiresAt: timestamp(row.expires_at),
    }),
    /** The `enrollment` member of an identity: its enrollments by method. */
    ofIdentity: (rows: readonly EnrollmentRow[], shown: Shown) =>
      Object.fromEntries(
        rows.map((row) => [row.method, { id: row.id, ...secretsOf(row, shown), expiresAt: timestamp(row.expires_at) }]),
      ),
  }
}
