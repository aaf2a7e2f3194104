import { newId } from '@countersign/core'
import { createApiSession } from '../../src/operations/api-session/start-session.ts'
import { createPasswordAuthenticator } from '../../src/operations/authenticator/create-authenticator.ts'
import type { SessionCredential } from '../../src/store/actor-credential.ts'
import type { OperationMeta } from '../../src/store/operation-meta.ts'
import type { Store } from '../../src/store/store.ts'

const HOUR_MS = 3_600_000

/** The meta of operations that an identity runs with a new session, which it opens with its password. */
export async function logInAs(
  store: Store,
  actorId: string,
  now: number,
): Promise<OperationMeta & { readonly credential: SessionCredential }> {
  const authenticatorId = (await findPasswordId(store, actorId)) ?? (await addPassword(store, actorId, now))
  const id = newId()
  await store.run(createApiSession, newSession({ id, identityId: actorId, authenticatorId, now }), { actorId, now })
  return { actorId, credential: { sessionId: id, secondSigner: null }, now }
}

/** A session of an hour. */
export function newSession(of: {
  readonly id?: string
  readonly identityId: string
  readonly authenticatorId: string
  readonly now: number
}) {
  const { id = newId(), identityId, authenticatorId, now } = of
  return {
    id,
    tokenDigest: newId(),
    identityId,
    method: 'password' as const,
    authenticatorId,
    ipAddress: '127.0.0.1',
    configTypes: [],
    expiresAt: now + HOUR_MS,
    endsAt: now + HOUR_MS,
    envInfo: undefined,
    sdkInfo: undefined,
    maxPerIdentity: 100,
  }
}

async function findPasswordId({ db }: Store, identityId: string): Promise<string | undefined> {
  const passwords = db.selectFrom('authenticators').select('id').where('method', '=', 'updb')
  return (await passwords.where('identity_id', '=', identityId).executeTakeFirst())?.id
}

async function addPassword(store: Store, identityId: string, now: number): Promise<string> {
  const id = newId()
  const password = { id, identityId, username: newId(), passwordDigest: 'x' }
  await store.run(createPasswordAuthenticator, password, { actorId: 'system', now })
  return id
}
