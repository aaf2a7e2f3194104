import { AppError, needsRenewalToken, renewalSignersOf } from '@countersign/core'
import type { SignerRevision } from '../../store/actor-credential.ts'
import { type AuthorizedTransaction, operation } from '../../store/operation.ts'
import { isTokenAccepted } from '../../store/reads/actor-reads.ts'
import { findAuthPolicyOf } from '../../store/reads/auth-policy-reads.ts'
import { isKeyInUse } from '../../store/reads/authenticator-reads.ts'
import { findIdentity } from '../../store/reads/identity-reads.ts'
import type { AuthenticatorRow } from '../../store/schema.ts'
import {
  adoptPendingCertificate,
  type RenewedCertificate,
  setPendingCertificate,
} from '../../store/writes/authenticator-writes.ts'
import { endSessions } from '../../store/writes/end-sessions.ts'
import { getAuthenticator } from './get-authenticator.ts'

export interface StageRenewal extends Omit<RenewedCertificate, 'isWithToken'> {
  readonly id: string
  /** The fingerprint of the certificate that the connection presented: it must still be the current one. */
  readonly presented: string
  /** The signer that verified a token of the actor, which came with the request. */
  readonly token: SignerRevision | null
}

/**
 * Stores a renewed certificate beside the actor's current one, which stays valid until the client confirms the new one. Fails with
 * UNAUTHORIZED when the presented certificate was replaced meanwhile or the policy requires a token that did not come or is no longer accepted, with CERT_IN_USE when another authenticator has its key, and with
 * COULD_NOT_PROCESS_CSR when an administrator requires a new key and the certificate has the old one.
 */
export const stageRenewal = operation({
  name: 'authenticator.stageRenewal',
  access: 'self',
  target: 'authenticators',
  async run(tx, { id, presented, token, ...renewed }: StageRenewal): Promise<void> {
    const current = await getOwnCertificate(tx, id)
    if (current.fingerprint !== presented) throw new AppError('UNAUTHORIZED')
    const isWithToken = token !== null && (await isRenewalToken(tx, token))
    const policy = await findAuthPolicyOf(tx.db, tx.actor.id)
    if (!policy || (!isWithToken && needsRenewalToken(policy, current.token_seen_at, tx.now))) {
      throw new AppError('UNAUTHORIZED')
    }
    if (current.key_roll_requested && renewed.publicKeyDigest === current.public_key_digest) {
      const message = 'an administrator requires a new key: generate one and send a CSR for it'
      throw new AppError('COULD_NOT_PROCESS_CSR', { message })
    }
    if (await isKeyInUse(tx.db, renewed.publicKeyDigest, id)) throw new AppError('CERT_IN_USE')
    await setPendingCertificate(tx, id, { ...renewed, isWithToken })
  },
})

async function isRenewalToken({ db, actor }: AuthorizedTransaction, token: SignerRevision): Promise<boolean> {
  const identity = await findIdentity(db, actor.id)
  return (
    identity !== undefined &&
    renewalSignersOf(identity).includes(token.id) &&
    (await isTokenAccepted(db, token, identity))
  )
}

export interface FinishRenewal {
  readonly id: string
  /** Of the renewed certificate, which the client has received. */
  readonly fingerprint: string
}

/**
 * Replaces the actor's certificate by the renewed one; the old one is invalid from now on. A new key ends the other sessions that rest on the
 * old one. Idempotent: the first response may have been lost. Fails with INVALID_CLIENT_CERT for any other certificate.
 */
export const finishRenewal = operation({
  name: 'authenticator.finishRenewal',
  access: 'self',
  target: 'authenticators',
  async run(tx, { id, fingerprint }: FinishRenewal): Promise<void> {
    const current = await getOwnCertificate(tx, id)
    const { pending_fingerprint: pending, pending_public_key_digest: digest } = current
    if (pending === null && current.fingerprint === fingerprint) return
    if (pending !== fingerprint) throw new AppError('INVALID_CLIENT_CERT')
    // A new key that was requested after the renewal began is still required.
    const keyRollRequested = Boolean(current.key_roll_requested) && digest === current.public_key_digest
    await adoptPendingCertificate(tx, id, { keyRollRequested })
    const isNewKey = digest !== current.public_key_digest
    if (isNewKey) await endSessions(tx, { identityId: tx.actor.id, authenticatorId: id })
  },
})

async function getOwnCertificate(tx: AuthorizedTransaction, id: string): Promise<AuthenticatorRow> {
  const row = await getAuthenticator(tx, id, tx.actor.id)
  if (row.method !== 'cert' || row.ca_fingerprint !== null) throw new AppError('CAN_NOT_UPDATE_AUTHENTICATOR')
  return row
}
