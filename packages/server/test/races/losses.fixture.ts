/** What happens to an actor between the authentication of its request and the write. */
import type { AuthPolicyWrite, ExtJwtSignerWrite } from '@countersign/contract'
import { newId } from '@countersign/core'
import { BY_OPERATOR } from '../../src/operations/api-account/client-binding.ts'
import { deleteApiAccount } from '../../src/operations/api-account/delete-api-account.ts'
import { rotateApiAccount } from '../../src/operations/api-account/rotate-api-account.ts'
import { patchApiAccount } from '../../src/operations/api-account/update-api-account.ts'
import { endSession } from '../../src/operations/api-session/end-session.ts'
import { createAuthPolicy } from '../../src/operations/auth-policy/create-auth-policy.ts'
import { deleteIdentity } from '../../src/operations/identity/delete-identity.ts'
import { disableIdentity } from '../../src/operations/identity/disable-identity.ts'
import { patchIdentity } from '../../src/operations/identity/update-identity.ts'
import { patchProvider } from '../../src/operations/identity-provider/update-provider.ts'
import { createSigner } from '../../src/operations/signer/create-signer.ts'
import type { Operation } from '../../src/store/operation.ts'
import { isHostedAccess, isSelf, type OperationAccess } from '../../src/store/operation-access.ts'
import { policyBody } from '../http/auth-policies.fixture.ts'
import { jwksBody } from '../http/ext-jwt-signers.fixture.ts'
import type { Actor, World } from './actors.fixture.ts'

export interface Loss {
  readonly title: string
  readonly of: readonly Actor['kind'][]
  /** Whether an operation with this access runs without what is lost. */
  readonly isHarmless?: (access: OperationAccess) => boolean
  happen(world: World, actor: Actor): Promise<void>
}

const SESSIONS = ['identity', 'account session'] as const
const FEDERATED = ['federated account', 'traded token'] as const
const ACCOUNTS = ['account', 'account session', ...FEDERATED] as const

/** By ids and bodies, as the system: the actor of the race is another. */
export const LOSSES: readonly Loss[] = [
  {
    title: 'is disabled',
    of: SESSIONS,
    happen: (world, { id }) => run(world, disableIdentity, { id, durationMinutes: 0 }),
  },
  {
    title: 'is deleted',
    of: SESSIONS,
    happen: (world, { id }) => run(world, deleteIdentity, { id }),
  },
  {
    title: 'is no longer an administrator',
    of: ['identity'],
    isHarmless: isSelf,
    happen: (world, { id }) => run(world, patchIdentity, { id, body: { isAdmin: false } }),
  },
  {
    title: 'is logged out',
    of: SESSIONS,
    happen: async (world, { id }) => {
      const sessions = world.app.store.db.selectFrom('api_sessions').select('id').where('identity_id', '=', id)
      for (const session of await sessions.execute()) await run(world, endSession, session)
    },
  },
  {
    title: 'may no longer log in by this method',
    of: ['identity'],
    happen: (world, actor) => moveToPolicy(world, actor, { updb: { allowed: false } }),
  },
  {
    title: 'needs a one-time code',
    of: ['identity'],
    // The sessions of some of these have passed a code.
    isHarmless: isSelf,
    happen: (world, actor) => moveToPolicy(world, actor, { secondary: { requireTotp: true } }),
  },
  {
    title: 'needs a passkey',
    of: ['identity'],
    // Some of these have none yet, and can add the first.
    isHarmless: isSelf,
    happen: (world, actor) => moveToPolicy(world, actor, { secondary: { requirePasskey: true } }),
  },
  {
    title: 'needs a second token',
    of: ['identity'],
    isHarmless: (access) => access === 'partial-self',
    happen: async (world, actor) => {
      const id = newId()
      await run(world, createSigner, { id, body: jwksBody() as unknown as ExtJwtSignerWrite, certificate: undefined })
      await moveToPolicy(world, actor, { secondary: { requireExtJwtSigner: id } })
    },
  },
  {
    title: 'is an account that becomes inactive',
    of: ACCOUNTS,
    happen: (world, actor) => run(world, patchApiAccount, { ...accountKey(world, actor), body: { active: false } }),
  },
  {
    title: 'is an account that becomes read-only',
    of: ACCOUNTS,
    isHarmless: (access) => isHostedAccess(access) && access.hosted === 'read',
    happen: (world, actor) => run(world, patchApiAccount, { ...accountKey(world, actor), body: { role: 'read-only' } }),
  },
  {
    title: 'is an account that is deleted',
    of: ACCOUNTS,
    happen: (world, actor) => run(world, deleteApiAccount, accountKey(world, actor)),
  },
  {
    title: 'is an account whose client is replaced',
    of: ['account', 'account session'],
    happen: (world, actor) => {
      const client = { clientId: newId(), administeredBy: null, handle: null, sealedToken: null }
      const credential = { client, binding: BY_OPERATOR }
      return run(world, rotateApiAccount, { ...accountKey(world, actor), credential, overlapMs: 0 })
    },
  },
  {
    title: 'is an account whose provider is disabled',
    of: ACCOUNTS,
    happen: (world, { providerId: id }) =>
      run(world, patchProvider, { id, organizationId: world.organizationId, patch: { enabled: false } }),
  },
  {
    title: 'is an account whose provider record now requires a scope',
    of: ['account', ...FEDERATED],
    happen: (world, { providerId: id }) =>
      run(world, patchProvider, { id, organizationId: world.organizationId, patch: { requiredScope: 'write' } }),
  },
  {
    title: 'is an account whose access ends',
    of: ACCOUNTS,
    happen: (world, actor) => {
      const expiresAt = new Date(world.app.clock.now()).toISOString()
      return run(world, patchApiAccount, { ...accountKey(world, actor), body: { expiresAt } })
    },
  },
  {
    title: 'is an account that gets other conditions',
    of: FEDERATED,
    happen: (world, actor) =>
      run(world, patchApiAccount, { ...accountKey(world, actor), body: { conditions: { sub: 'another' } } }),
  },
  {
    title: 'is an account that was disabled and enabled again',
    of: FEDERATED,
    happen: async (world, actor) => {
      const key = accountKey(world, actor)
      await run(world, patchApiAccount, { ...key, body: { active: false } })
      await run(world, patchApiAccount, { ...key, body: { active: true } })
    },
  },
]

function run<Args>({ app }: World, operation: Operation<Args, unknown>, args: Args): Promise<void> {
  return app.store.run(operation, args, { actorId: 'system', now: app.clock.now() }) as Promise<void>
}

function accountKey({ organizationId }: World, { accountId: id }: Actor) {
  return { id, organizationId }
}

async function moveToPolicy(world: World, actor: Actor, parts: Parameters<typeof policyBody>[0]): Promise<void> {
  const authPolicyId = newId()
  await run(world, createAuthPolicy, { id: authPolicyId, body: policyBody(parts) as AuthPolicyWrite })
  await run(world, patchIdentity, { id: actor.id, body: { authPolicyId } })
}
