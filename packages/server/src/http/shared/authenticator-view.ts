import type { AuthenticatorRow } from '../../store/schema.ts'
import { selfLink, timestamp } from '../pipeline/envelope.ts'
import { type IdentityName, identityReference } from './identity-view.ts'

/** An authenticator without its secret; `self` is where the caller reaches it. */
export function authenticatorView(row: AuthenticatorRow, identity: IdentityName, self: string) {
  return {
    _links: { ...selfLink(self, row.id), identities: { href: `./identities/${row.identity_id}` } },
    id: row.id,
    createdAt: timestamp(row.created_at),
    updatedAt: timestamp(row.updated_at),
    tags: JSON.parse(row.tags),
    identity: identityReference(identity),
    identityId: row.identity_id,
    method: row.method,
    ...(row.method === 'updb' ? { username: row.username } : { certPem: row.cert_pem, fingerprint: row.fingerprint }),
  }
}
