import type { Authenticate } from '@countersign/contract'
import { AppError, digestOfNoPassword, newId, type PasswordCost, verifyPassword } from '@countersign/core'
import type { Clock } from '../clock.ts'
import { isDisabled, type StoredIdentity } from '../store/identity-row.ts'
import { findAuthPolicy } from '../store/reads/auth-policy-reads.ts'
import { findIdentity } from '../store/reads/identity-reads.ts'
import type { Store } from '../store/store.ts'
import type { LiveSession } from './live-sessions.ts'
import { newSessionToken, sessionTokenDigest } from './session-token.ts'

export interface LoginOptions {
  readonly store: Store
  readonly clock: Clock
  readonly idleMs: number
  readonly maxMs: number
  readonly maxPerIdentity: number
  readonly passwordCost: PasswordCost
}

export interface PasswordLogin {
  (body: Authenticate, ipAddress: string): Promise<{ token: string; session: LiveSession }>
}

/** Digesting is made to be slow: more guesses than this at once and the next has to come again. */
const MAX_GUESSES_AT_ONCE = 16

/** Trades a user name and password for a session. Every refusal looks and costs the same. */
export function createPasswordLogin(options: LoginOptions): PasswordLogin {
  const { store, clock } = options
  const digestOfNobody = digestOfNoPassword(options.passwordCost)
  let guessing = 0

  const identify = async (username: string, password: string) => {
    const authenticator = await store.db
      .selectFrom('authenticators')
      .select(['id', 'identity_id', 'password_digest'])
      .where('username', '=', username)
      .where('method', '=', 'updb')
      .executeTakeFirst()
    const isRight = await verifyPassword(password, authenticator?.password_digest ?? digestOfNobody)
    const identity = authenticator && (await findIdentity(store.db, authenticator.identity_id))
    const policy = identity && (await findAuthPolicy(store.db, identity.authPolicyId))
    if (!isRight || !identity || !policy?.primary.updb.allowed || isDisabled(identity, clock.now())) return undefined
    return { identity, authenticatorId: authenticator.id }
  }

  return async (body, ipAddress) => {
    const { username, password } = body
    if (!username || !password) {
      throw new AppError('COULD_NOT_VALIDATE', { message: 'username and password fields are required' })
    }
    if (guessing >= MAX_GUESSES_AT_ONCE) throw new AppError('SERVER_TOO_MANY_REQUESTS')
    guessing++
    try {
      const found = await identify(username, password)
      if (!found) throw new AppError('INVALID_AUTH')
      return await startSession(options, { ...found, body, ipAddress })
    } finally {
      guessing--
    }
  }
}

interface Authenticated {
  readonly identity: StoredIdentity
  readonly authenticatorId: string
  readonly body: Authenticate
  readonly ipAddress: string
}

/** Opens a session; when this resolves it is durable. */
async function startSession(
  { store, clock, idleMs, maxMs, maxPerIdentity }: LoginOptions,
  { identity, authenticatorId, body, ipAddress }: Authenticated,
): Promise<{ token: string; session: LiveSession }> {
  const now = clock.now()
  const token = newSessionToken()
  const id = newId()
  const endsAt = now + maxMs
  const expiresAt = Math.min(now + idleMs, endsAt)
  const configTypes = body.configTypes ?? []
  await store.write(
    'apiSession.create',
    {
      id,
      tokenDigest: sessionTokenDigest(token),
      identityId: identity.id,
      authenticatorId,
      ipAddress,
      configTypes,
      expiresAt,
      endsAt,
      envInfo: body.envInfo as Record<string, string> | undefined,
      sdkInfo: body.sdkInfo as Record<string, string> | undefined,
      maxPerIdentity,
    },
    { actorId: identity.id, now },
  )
  const times = { createdAt: now, updatedAt: now, lastActivityAt: now, expiresAt, endsAt }
  return { token, session: { id, identity, authenticatorId, ipAddress, configTypes, ...times } }
}
