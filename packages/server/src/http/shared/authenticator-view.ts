import { readJsonColumn } from '../../store/json-column.ts'
import type { AuthenticatorRow } from '../../store/schema.ts'
import { selfLink, timestamp } from '../pipeline/envelope.ts'
import { type IdentityName, identityReference } from './identity-view.ts'

/** An authenticator without its secret; `self` is the collection through which the caller reads it. */
export function authenticatorView(row: AuthenticatorRow, identity: IdentityName, self: string) {
  return {
    _links: { ...selfLink(self, row.id), identities: { href: `./identities/${row.identity_id}` } },
    id: row.id,
    createdAt: timestamp(row.created_at),
    updatedAt: timestamp(row.updated_at),
    tags: readJsonColumn(row.tags),
    identity: identityReference(identity),
    identityId: row.identity_id,
    method: row.method,
    ...(row.method === 'updb' ? { username: row.username } : certificateMembers(row)),
  }
}

/** Members without a value are left out. */
function certificateMembers(row: AuthenticatorRow) {
  const { last_auth_resolved_to_root: resolvedToRoot, extend_requested_at: requestedAt } = row
  return {
    certPem: row.cert_pem,
    fingerprint: row.fingerprint,
    isIssuedByNetwork: row.ca_fingerprint === null,
    ...(resolvedToRoot !== null && { lastAuthResolvedToRoot: Boolean(resolvedToRoot) }),
    ...(requestedAt !== null && { isExtendRequested: true, extendRequestedAt: timestamp(requestedAt) }),
    ...(row.key_roll_requested && { isKeyRollRequested: true }),
  }
}
