import type { ControllerContext } from '../../controller-context.ts'
import { openOneTimeToken } from '../../enrollment/one-time-token.ts'
import { readJsonColumn } from '../../store/json-column.ts'
import type { EnrollmentRow } from '../../store/schema.ts'
import { selfLink, timestamp } from '../pipeline/envelope.ts'
import { type IdentityName, identityReference } from './identity-view.ts'

/** Enrollments as those see them who have power over the identity: with the token, which is the identity to come. */
export function createEnrollmentViews({
  sealing,
  enrollmentJwt,
}: Pick<ControllerContext, 'sealing' | 'enrollmentJwt'>) {
  const secretsOf = (row: EnrollmentRow) => {
    const token = openOneTimeToken(sealing, row)
    return token === undefined ? {} : { token, jwt: enrollmentJwt(row, token) }
  }

  return {
    detail: (row: EnrollmentRow, identity: IdentityName) => ({
      _links: selfLink('enrollments', row.id),
      id: row.id,
      createdAt: timestamp(row.created_at),
      updatedAt: timestamp(row.updated_at),
      tags: readJsonColumn(row.tags),
      identity: identityReference(identity),
      identityId: row.identity_id,
      method: row.method,
      ...(row.username !== null && { username: row.username }),
      ...secretsOf(row),
      expiresAt: timestamp(row.expires_at),
    }),
    /** The `enrollment` member of an identity: its enrollments by method. */
    ofIdentity: (rows: readonly EnrollmentRow[]) =>
      Object.fromEntries(
        rows.map((row) => [row.method, { id: row.id, ...secretsOf(row), expiresAt: timestamp(row.expires_at) }]),
      ),
  }
}
