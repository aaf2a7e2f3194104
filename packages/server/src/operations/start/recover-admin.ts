import { AppError, type AuthPolicySettings, DEFAULT_AUTH_POLICY, newId } from '@countersign/core'
import { operation } from '../../store/operation.ts'
import { findDefaultAdministrator } from '../../store/reads/administrator-reads.ts'
import { findAuthPolicy } from '../../store/reads/auth-policy-reads.ts'
import { findPasswordLogin, isUsername } from '../../store/reads/authenticator-reads.ts'
import { findIdentity } from '../../store/reads/identity-reads.ts'
import type { Transaction } from '../../store/transaction.ts'
import { insertPasswordAuthenticator, updateAuthenticator } from '../../store/writes/authenticator-writes.ts'
import { endSessions } from '../../store/writes/end-sessions.ts'
import { setDisabled, setVerifiedTotp, updateIdentity } from '../../store/writes/identity-writes.ts'
import { deleteTotp } from '../../store/writes/totp-writes.ts'
import { addAuthPolicy } from '../auth-policy/create-auth-policy.ts'

export interface RecoverAdmin {
  readonly passwordDigest: string
}

/** What was done to let the default administrator log in again. */
export interface RecoveredAdmin {
  readonly id: string
  readonly name: string
  readonly username: string
  readonly wasDisabled: boolean
  readonly hadCodes: boolean
  /** The new policy, where the former one did not admit the password alone. */
  readonly policyName: string | null
  readonly formerPolicyName: string
}

/**
 * Gives the default administrator a new password that suffices for a login: enables the identity, removes its one-time codes, and moves it to a new
 * policy where its own asks for more. No route runs it: it is for those that have the files or the database. Fails with NOT_FOUND before the first start.
 */
export const recoverAdmin = operation({
  name: 'start.recoverAdmin',
  access: 'none',
  async run(tx, { passwordDigest }: RecoverAdmin): Promise<RecoveredAdmin> {
    const id = await findDefaultAdministrator(tx.db)
    const identity = id === undefined ? undefined : await findIdentity(tx.db, id)
    if (id === undefined || !identity) throw new AppError('NOT_FOUND')
    const policy = await findAuthPolicy(tx.db, identity.authPolicyId)
    const recovery = policy && admitsPasswordAlone(policy) ? undefined : recoveryPolicy(tx.now)
    const authPolicyId = recovery ? newId() : identity.authPolicyId
    if (recovery) await addAuthPolicy(tx, authPolicyId, recovery)
    await updateIdentity(tx, identity, { ...identity, isAdmin: true, expiresAt: null, authPolicyId })
    await setDisabled(tx, identity, { at: null, until: null })
    await deleteTotp(tx, id)
    await setVerifiedTotp(tx, id, null)
    const username = await setPassword(tx, identity, passwordDigest)
    await endSessions(tx, { identityId: id })
    return {
      id,
      name: identity.name,
      username,
      wasDisabled: identity.disabledAt !== null,
      hadCodes: identity.verifiedTotpId !== null,
      policyName: recovery?.name ?? null,
      formerPolicyName: policy?.name ?? '',
    }
  },
})

function admitsPasswordAlone({ primary, secondary, acceptRule }: AuthPolicySettings): boolean {
  const { requireTotp, requireExtJwtSigner, requirePasskey } = secondary
  const isAlone = !requireTotp && requireExtJwtSigner === null && !requirePasskey
  return primary.updb.allowed && isAlone && acceptRule === null
}

/** Allows passwords alone. Each recovery has its own, because an earlier one may have been changed since. */
function recoveryPolicy(now: number): AuthPolicySettings {
  const { primary } = DEFAULT_AUTH_POLICY
  return {
    ...DEFAULT_AUTH_POLICY,
    name: `Recovery ${new Date(now).toISOString()}`,
    primary: {
      ...primary,
      cert: { ...primary.cert, allowed: false },
      extJwt: { ...primary.extJwt, allowed: false },
    },
  }
}

async function setPassword(
  tx: Transaction,
  { id: identityId, name }: { readonly id: string; readonly name: string },
  passwordDigest: string,
): Promise<string> {
  const known = await findPasswordLogin(tx.db, identityId)
  if (known) {
    await updateAuthenticator(tx, known.id, { passwordDigest })
    return known.username
  }
  const id = newId()
  const username = (await isUsername(tx.db, name)) ? `${name}-${id}` : name
  await insertPasswordAuthenticator(tx, { id, identityId, username, passwordDigest })
  return username
}
