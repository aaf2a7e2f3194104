import { fieldError, newSortableId, secretDigest } from '@countersign/core'
import type { Logger } from 'pino'
import { redeemCertificate, redeemPassword } from '../operations/enrollment/redeem-enrollment.ts'
import type { Clock } from '../platform/clock.ts'
import type { ClientCertificates } from '../platform/keys/client-certificates.ts'
import type { StoredIdentity } from '../store/identity-row.ts'
import type { OperationMeta, RequestSource } from '../store/operation-meta.ts'
import { findAuthPolicyOf } from '../store/reads/auth-policy-reads.ts'
import { getEnrollmentMethod, getRedeemable } from '../store/reads/enrollment-reads.ts'
import type { Store } from '../store/store.ts'

interface EnrollmentRedemptionParts {
  readonly store: Store
  readonly clock: Clock
  readonly log: Logger
  readonly clientCertificates: Pick<ClientCertificates, 'issue'>
  /** Returns the digest. Throws COULD_NOT_VALIDATE when the identity's policy does not allow the password. */
  digestNewPassword(identity: StoredIdentity, password: string): Promise<string>
}

/**
 * Exchanges a one-time token for a credential: stores the credential and deletes the token, or changes nothing. When several requests use one
 * token, exactly one succeeds; the others throw INVALID_ENROLLMENT_TOKEN.
 */
export class EnrollmentRedemption {
  readonly #parts: EnrollmentRedemptionParts

  constructor(parts: EnrollmentRedemptionParts) {
    this.#parts = parts
  }

  /** The method of a token. Throws INVALID_ENROLLMENT_TOKEN when the token is unknown. */
  methodOf(token: string): Promise<string> {
    return getEnrollmentMethod(this.#parts.store.db, secretDigest(token))
  }

  /** Issues a certificate for the CSR's key. Throws COULD_NOT_PROCESS_CSR when the CSR cannot be used. */
  async certificate(
    token: string,
    csrPem: string,
    source: RequestSource,
  ): Promise<{ readonly chainPem: string; readonly caPem: string }> {
    const { store, clock, log, clientCertificates } = this.#parts
    const tokenDigest = secretDigest(token)
    // Checked before the expensive signing, and again in the transaction.
    const { identity } = await getRedeemable(store.db, { tokenDigest, method: 'ott', now: clock.now() })
    const issued = await clientCertificates.issue(csrPem, identity.id, await findAuthPolicyOf(store.db, identity.id))
    const { chainPem, caPem, fingerprint, publicKeyDigest } = issued
    const authenticator = {
      id: newSortableId(clock.now()),
      identityId: identity.id,
      certPem: chainPem,
      fingerprint,
      publicKeyDigest,
    }
    await store.run(redeemCertificate, { tokenDigest, authenticator }, this.#metaOf(identity, source))
    log.info({ identityId: identity.id, method: 'ott', fingerprint }, 'an identity has enrolled')
    return { chainPem, caPem }
  }

  /** Sets a password under the enrollment's user name. Throws COULD_NOT_VALIDATE without one, or when the identity's policy does not allow it. */
  async password(
    token: string,
    password: string | undefined,
    source: RequestSource,
  ): Promise<{ readonly username: string }> {
    const { store, clock, log } = this.#parts
    const tokenDigest = secretDigest(token)
    const { identity, row } = await getRedeemable(store.db, { tokenDigest, method: 'updb', now: clock.now() })
    if (!password) throw fieldError('password', 'password in body is required', undefined)
    const passwordDigest = await this.#parts.digestNewPassword(identity, password)
    const args = { tokenDigest, authenticatorId: newSortableId(clock.now()), passwordDigest }
    await store.run(redeemPassword, args, this.#metaOf(identity, source))
    log.info({ identityId: identity.id, method: 'updb' }, 'an identity has enrolled')
    return { username: row.username ?? '' }
  }

  /** The identity itself is the actor. */
  #metaOf({ id, name }: StoredIdentity, source: RequestSource): OperationMeta {
    return { actorId: id, now: this.#parts.clock.now(), source: { authorName: name, ...source } }
  }
}
