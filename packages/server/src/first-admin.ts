import { randomBytes } from 'node:crypto'
import { digestPassword, newId, type PasswordCost } from '@countersign/core'
import type { Store } from './store/store.ts'

const USERNAME = 'admin'
const PASSWORD_BYTES = 18

/** The administrator's name and, on first start only, his password. */
export interface FirstAdmin {
  readonly username: string
  readonly password: string | null
}

/** Makes the default policy and the administrator if the store has none yet. */
export async function ensureFirstAdmin(
  store: Store,
  options: { adminPassword: string | null | undefined; passwordCost: PasswordCost; now: number },
): Promise<FirstAdmin> {
  const existing = await store.db
    .selectFrom('identities')
    .select('id')
    .where('is_default_admin', '=', true)
    .executeTakeFirst()
  if (existing) return { username: USERNAME, password: null }
  const password = options.adminPassword || randomBytes(PASSWORD_BYTES).toString('base64url')
  const isFirst = await store.write(
    'start.createFirstAdmin',
    {
      identityId: newId(),
      authenticatorId: newId(),
      username: USERNAME,
      passwordDigest: await digestPassword(password, options.passwordCost),
    },
    { actorId: 'system', now: options.now },
  )
  return { username: USERNAME, password: isFirst ? password : null }
}
