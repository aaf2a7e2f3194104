import { AppError, isPasskeyMissing, type LoginMethodName } from '@countersign/core'
import { sessionFromRow } from '../../store/api-session-row.ts'
import { type AuthorizedTransaction, operation } from '../../store/operation.ts'
import { findAuthPolicyOf } from '../../store/reads/auth-policy-reads.ts'
import { lockIdentity } from '../../store/reads/lock-identity.ts'
import { listPasskeys } from '../../store/reads/passkey-reads.ts'
import { findSessionOrigin } from '../../store/reads/session-origin-reads.ts'
import { findLiveSessionRow } from '../../store/reads/session-reads.ts'
import type { ApiSessionRow } from '../../store/schema.ts'
import { setPassedPasskey } from '../../store/writes/api-session-writes.ts'
import {
  insertPasskey,
  type NewPasskey,
  type SpentChallenge,
  spendChallenge,
} from '../../store/writes/passkey-writes.ts'
import { checkMayHaveCredentials } from '../identity/authorize-identity-change.ts'

/** A stolen session must not become a credential that outlives it. */
export const FRESH_LOGIN_MS = 15 * 60_000
export const MAX_PASSKEYS = 20

export interface RegisterPasskey extends Omit<NewPasskey, 'identityId' | 'name'> {
  /** Empty for a name by number. */
  readonly name: string
  readonly challenge: SpentChallenge
}

/**
 * Adds a passkey to the actor, and completes its session with it if it lacks one. Fails with FRESH_LOGIN_REQUIRED when the login is older than 15 minutes, with
 * TRUSTED_LOGIN_REQUIRED when it rests on an untrusted signer or CA, with PASSKEY_INVALID when the challenge is spent, with PASSKEY_EXISTS when any identity has the passkey, with PASSKEY_LIMIT_REACHED after 20, and with
 * ENTITY_CAN_NOT_BE_UPDATED for the identity of an API account. The first passkey can be added by a session that lacks nothing else.
 */
export const registerPasskey = operation({
  name: 'passkey.register',
  access: 'self-before-passkey',
  target: 'passkeys',
  async run(tx, { name, challenge, ...passkey }: RegisterPasskey): Promise<void> {
    const { actor } = tx
    checkMayHaveCredentials(actor.id)
    const session = await getFreshSession(tx)
    await checkTrustedLogin(tx, session)
    await lockIdentity(tx, actor.id)
    if (!(await spendChallenge(tx, actor.id, challenge))) throw new AppError('PASSKEY_INVALID')
    const others = await listPasskeys(tx.db, actor.id)
    if (others.length >= MAX_PASSKEYS) throw new AppError('PASSKEY_LIMIT_REACHED')
    const shownName = name === '' ? `Passkey ${others.length + 1}` : name
    await insertPasskey(tx, { ...passkey, identityId: actor.id, name: shownName })
    if (await lacksPasskey(tx, session)) await setPassedPasskey(tx, session.id, passkey.id)
  },
})

/** The passkey remains when the identity gets rights, for which an untrusted signer or CA does not count. */
async function checkTrustedLogin({ db, actor }: AuthorizedTransaction, session: ApiSessionRow): Promise<void> {
  const origin = await findSessionOrigin(db, sessionFromRow(session), { ...actor, isAdmin: true })
  if (!origin) throw new AppError('TRUSTED_LOGIN_REQUIRED')
}

async function getFreshSession({ db, now, credential }: AuthorizedTransaction): Promise<ApiSessionRow> {
  const sessionId = credential && 'sessionId' in credential ? credential.sessionId : ''
  const session = await findLiveSessionRow(db, sessionId, now)
  if (!session) throw new AppError('UNAUTHORIZED')
  if (now - session.created_at > FRESH_LOGIN_MS) throw new AppError('FRESH_LOGIN_REQUIRED')
  return session
}

async function lacksPasskey({ db, actor }: AuthorizedTransaction, session: ApiSessionRow): Promise<boolean> {
  const policy = await findAuthPolicyOf(db, actor.id)
  const factor = { method: session.method as LoginMethodName, passedPasskeyId: session.passed_passkey_id }
  return policy !== undefined && isPasskeyMissing(policy, factor)
}
