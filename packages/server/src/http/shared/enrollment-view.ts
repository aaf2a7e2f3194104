import { maySeeEnrollmentToken } from '@countersign/core'
import type { EnrollmentJwt } from '../../enrollment/enrollment-jwt.ts'
import { openOneTimeToken } from '../../enrollment/one-time-token.ts'
import type { Sealing } from '../../platform/keys/sealing.ts'
import { readJsonColumn } from '../../store/json-column.ts'
import type { EnrollmentRow } from '../../store/schema.ts'
import { entityReference, selfLink, timestamp } from '../pipeline/envelope.ts'
import { type IdentityName, identityReference } from './identity-view.ts'

export interface EnrollmentViewParts {
  readonly sealing: Sealing
  readonly enrollmentJwt: EnrollmentJwt
}

/** An enrollment's identity and the caller, whose permissions decide whether the token is shown. */
interface Viewer {
  readonly holder: Parameters<typeof maySeeEnrollmentToken>[0]
  readonly owner: Parameters<typeof maySeeEnrollmentToken>[1]
}

/** Enrollments as administrators see them. The token is a credential, which not every reader sees. */
export function createEnrollmentViews({ sealing, enrollmentJwt }: EnrollmentViewParts) {
  const secretsOf = (row: EnrollmentRow, { holder, owner }: Viewer) => {
    const isShown = maySeeEnrollmentToken(holder, owner, { createdBy: row.created_by })
    const token = isShown ? openOneTimeToken(sealing, row) : undefined
    return token === undefined ? {} : { token, jwt: enrollmentJwt(row, token) }
  }

  return {
    detail: (row: EnrollmentRow, viewer: Viewer & { readonly owner: IdentityName }) => ({
      _links: selfLink('enrollments', row.id),
      id: row.id,
      createdAt: timestamp(row.created_at),
      updatedAt: timestamp(row.updated_at),
      tags: readJsonColumn(row.tags),
      identity: identityReference(viewer.owner),
      identityId: row.identity_id,
      method: row.method,
      ...(row.username !== null && { username: row.username }),
      ...(row.ca_id !== null && { caId: row.ca_id }),
      ...secretsOf(row, viewer),
      expiresAt: timestamp(row.expires_at),
    }),
    /** The `enrollment` member of an identity: its enrollments by method. `caNames` has the names of third-party CAs. */
    ofIdentity: (rows: readonly EnrollmentRow[], caNames: ReadonlyMap<string, string>, viewer: Viewer) =>
      Object.fromEntries(
        rows.map((row) => [
          row.method,
          { id: row.id, ...caMembers(row, caNames), ...secretsOf(row, viewer), expiresAt: timestamp(row.expires_at) },
        ]),
      ),
  }
}

function caMembers({ ca_id: caId }: EnrollmentRow, caNames: ReadonlyMap<string, string>) {
  if (caId === null) return {}
  return { ca: entityReference('cas', caId, caNames.get(caId) ?? ''), caId }
}
