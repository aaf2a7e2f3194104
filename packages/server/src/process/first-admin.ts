import { randomBytes, randomUUID } from 'node:crypto'
import { digestPassword, hostedIdentityId, newId, type PasswordCost } from '@countersign/core'
import { createFirstAdmin } from '../operations/start/create-first-admin.ts'
import { createFirstOrganization } from '../operations/start/create-first-organization.ts'
import { PRODUCT_VERSION } from '../platform/version.ts'
import { SYSTEM_ACTOR } from '../store/actor.ts'
import { findDefaultAdministrator } from '../store/reads/administrator-reads.ts'
import { findLocalOrganization } from '../store/reads/organization-reads.ts'
import type { Store } from '../store/store.ts'

const USERNAME = 'admin'
const PASSWORD_BYTES = 18

/** The administrator's user name and, only on first start, the password. */
export interface FirstAdmin {
  readonly username: string
  readonly password: string | null
}

/** Creates the default policy, the first administrator and the organization that owns this controller, if they do not exist. */
export async function ensureFirstAdmin(
  store: Store,
  options: { adminPassword: string | null | undefined; passwordCost: PasswordCost; now: number },
): Promise<FirstAdmin> {
  const existingId = await findDefaultAdministrator(store.db)
  if (existingId !== undefined) {
    await ensureFirstOrganization(store, existingId, options.now)
    return { username: USERNAME, password: null }
  }
  const password = options.adminPassword || randomBytes(PASSWORD_BYTES).toString('base64url')
  const identityId = newId()
  const isFirst = await store.run(
    createFirstAdmin,
    {
      identityId,
      authenticatorId: newId(),
      username: USERNAME,
      passwordDigest: await digestPassword(password, options.passwordCost),
    },
    { actorId: SYSTEM_ACTOR.id, now: options.now },
  )
  await ensureFirstOrganization(store, identityId, options.now)
  return { username: USERNAME, password: isFirst ? password : null }
}

/** A store of an earlier release has an administrator, but no organization yet. */
async function ensureFirstOrganization(store: Store, adminId: string, now: number): Promise<void> {
  if ((await findLocalOrganization(store.db)) !== undefined) return
  const first = {
    organizationId: randomUUID(),
    networkGroupId: randomUUID(),
    networkId: randomUUID(),
    ownerIdentityId: hostedIdentityId(adminId),
    productVersion: PRODUCT_VERSION,
  }
  await store.run(createFirstOrganization, first, { actorId: SYSTEM_ACTOR.id, now })
}
