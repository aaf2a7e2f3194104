import type { RevocationType } from '@countersign/contract'
import type { Tags } from '@countersign/core'
import { type AuthorizedTransaction, operation } from '../../store/operation.ts'
import { findSessionOwner } from '../../store/reads/session-reads.ts'
import { deleteSessions, endOidcSessions } from '../../store/writes/end-sessions.ts'
import { storeRevocation } from '../../store/writes/revocation-writes.ts'
import { authorizeIdentityChange } from '../identity/authorize-identity-change.ts'

export interface CreateRevocation {
  readonly id: string
  readonly type: RevocationType
  readonly tags: Tags
  /** After this time the last token that it concerns has expired. */
  readonly keptMs: number
}

type Effect = (tx: AuthorizedTransaction, id: string) => Promise<void>

/** What a revocation ends at once. An access token is found revoked when it is next used. */
const EFFECTS: Readonly<Record<RevocationType, Effect>> = {
  JTI: async () => {},
  API_SESSION: async (tx, id) => {
    const session = await findSessionOwner(tx.db, id)
    if (!session) return
    await authorizeIdentityChange(tx, session.identity_id)
    await deleteSessions(tx, [session])
  },
  IDENTITY: async (tx, id) => {
    await authorizeIdentityChange(tx, id)
    await endOidcSessions(tx, id)
  },
}

/** Revokes a token, or all tokens of a session or an identity. Replaces an earlier revocation with the same id. */
export const createRevocation = operation({
  name: 'revocation.create',
  access: { entity: 'revocation', action: 'create' },
  async run(tx, { id, type, tags, keptMs }: CreateRevocation): Promise<void> {
    await EFFECTS[type](tx, id)
    const issuedBefore = type === 'IDENTITY' ? tx.now : null
    const expiresAt = tx.now + keptMs
    await storeRevocation(tx, { id, type, issuedBefore, expiresAt, tags: JSON.stringify(tags) })
  },
})
