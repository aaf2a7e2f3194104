import { randomBytes, randomUUID } from 'node:crypto'
import { derivedUuid, digestPassword, newId, type PasswordCost } from '@countersign/core'
import { PRODUCT_VERSION } from '../platform/version.ts'
import type { Store } from '../store/store.ts'

const USERNAME = 'admin'
const PASSWORD_BYTES = 18

/** The administrator's name and, on first start only, his password. */
export interface FirstAdmin {
  readonly username: string
  readonly password: string | null
}

/** Makes the default policy, the administrator and the organization that owns this controller, if the store has none yet. */
export async function ensureFirstAdmin(
  store: Store,
  options: { adminPassword: string | null | undefined; passwordCost: PasswordCost; now: number },
): Promise<FirstAdmin> {
  const existing = await store.db
    .selectFrom('identities')
    .select('id')
    .where('is_default_admin', '=', true)
    .executeTakeFirst()
  if (existing) {
    await ensureFirstOrganization(store, existing.id, options.now)
    return { username: USERNAME, password: null }
  }
  const password = options.adminPassword || randomBytes(PASSWORD_BYTES).toString('base64url')
  const identityId = newId()
  const isFirst = await store.write(
    'start.createFirstAdmin',
    {
      identityId,
      authenticatorId: newId(),
      username: USERNAME,
      passwordDigest: await digestPassword(password, options.passwordCost),
    },
    { actorId: 'system', now: options.now },
  )
  await ensureFirstOrganization(store, identityId, options.now)
  return { username: USERNAME, password: isFirst ? password : null }
}

/** A store of an earlier release has an administrator, but no organization yet. */
async function ensureFirstOrganization(store: Store, adminId: string, now: number): Promise<void> {
  const existing = await store.db
    .selectFrom('organizations')
    .select('id')
    .where('is_local', '=', true)
    .executeTakeFirst()
  if (existing) return
  const first = {
    organizationId: randomUUID(),
    networkGroupId: randomUUID(),
    networkId: randomUUID(),
    ownerIdentityId: derivedUuid('identity', adminId),
    productVersion: PRODUCT_VERSION,
  }
  await store.write('start.createFirstOrganization', first, { actorId: 'system', now })
}
