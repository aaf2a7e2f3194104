import { notFound } from '../not-found.ts'
import { findIdentity } from '../reads/identity-reads.ts'
import { refusingDuplicates } from '../unique-violation.ts'
import type { WriteContext, WriteOperation } from '../write-operation.ts'

const ENTITY = 'authenticators'

export interface NewPasswordAuthenticator {
  readonly id: string
  readonly identityId: string
  readonly username: string
  readonly passwordDigest: string
}

const createPasswordAuthenticator: WriteOperation<NewPasswordAuthenticator, void> = async (context, authenticator) => {
  if (!(await findIdentity(context.db, authenticator.identityId))) throw notFound('identity', authenticator.identityId)
  await insertPasswordAuthenticator(context, authenticator)
}

export async function insertPasswordAuthenticator(
  { db, now, changed }: WriteContext,
  { id, identityId, username, passwordDigest }: NewPasswordAuthenticator,
): Promise<void> {
  await refusingDuplicates({ updbUsername: username }, () =>
    db
      .insertInto('authenticators')
      .values({
        id,
        identity_id: identityId,
        method: 'updb',
        username,
        password_digest: passwordDigest,
        cert_pem: null,
        fingerprint: null,
        tags: '{}',
        created_at: now,
        updated_at: now,
      })
      .execute(),
  )
  changed({ entity: ENTITY, id, action: 'created' })
}

export const AUTHENTICATOR_WRITES = { 'authenticator.createPassword': createPasswordAuthenticator }
