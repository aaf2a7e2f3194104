import { openOneTimeToken } from '../../enrollment/one-time-token.ts'
import { readJsonColumn } from '../../store/json-column.ts'
import type { EnrollmentRow } from '../../store/schema.ts'
import type { ControllerContext } from '../controller-context.ts'
import { selfLink, timestamp } from '../pipeline/envelope.ts'
import { type IdentityName, identityReference } from './identity-view.ts'

interface Shown {
  readonly withToken: boolean
}

/** Enrollments, for those who may enroll their identity with the token, which is the identity to come. */
export function createEnrollmentViews({
  sealing,
  enrollmentJwt,
}: Pick<ControllerContext, 'sealing' | 'enrollmentJwt'>) {
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
