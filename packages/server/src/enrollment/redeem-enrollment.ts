import type { Logger } from 'pino'
import { newIdInOrder, secretDigest } from '@countersign/core'
import type { ClientCertificates } from '../platform/keys/client-certificates.ts'
import type { Clock } from '../platform/clock.ts'
import { redeemCertificate, redeemPassword } from '../operations/enrollment/redeem-enrollment.ts'
import type { Store } from '../store/store.ts'
import type { StoredIdentity } from '../store/identity-row.ts'
import type { OperationMeta, RequestSource } from '../store/operation-meta.ts'
import { getRedeemable } from '../store/reads/enrollment-reads.ts'

/**
 * Exchanges a one-time token for a credential. Either the credential is recorded and the token deleted, or nothing has changed. Of several
 * requests with one token exactly one succeeds; the others fail with INVALID_ENROLLMENT_TOKEN.
 */
export interface RedeemEnrollment {
  /** For a certificate over the key of the request. COULD_NOT_PROCESS_CSR when that is no good one. */
  certificate(token: string, csrPem: string, source: RequestSource): Promise<{ chainPem: string; caPem: string }>
  /** For a password under the enrollment's user name. COULD_NOT_VALIDATE when the identity's policy does not allow it. */
  password(token: string, password: string, source: RequestSource): Promise<{ username: string }>
}

interface RedeemParts {
  readonly store: Store
  readonly clock: Clock
  readonly log: Logger
  readonly clientCertificates: Pick<ClientCertificates, 'issue'>
  /** The digest of a password that the identity's policy allows. */
  digestNewPassword(identity: StoredIdentity, password: string): Promise<string>
}

export function createRedeemEnrollment({
  store,
  clock,
  log,
  clientCertificates,
  digestNewPassword,
}: RedeemParts): RedeemEnrollment {
  const metaOf = ({ id, name }: StoredIdentity, source: RequestSource): OperationMeta => {
    return { actorId: id, now: clock.now(), source: { authorName: name, ...source } }
  }
  return {
    certificate: async (token, csrPem, source) => {
      const tokenDigest = secretDigest(token)
      // Asked before the work of signing, and again in the transaction.
      const { identity } = await getRedeemable(store.db, { tokenDigest, method: 'ott', now: clock.now() })
      const issued = await clientCertificates.issue(csrPem, identity.id)
      const { chainPem, caPem, fingerprint, publicKeyDigest } = issued
      const authenticator = {
        id: newIdInOrder(clock.now()),
        identityId: identity.id,
        certPem: chainPem,
        fingerprint,
        publicKeyDigest,
      }
      await store.run(redeemCertificate, { tokenDigest, authenticator }, metaOf(identity, source))
      log.info({ identityId: identity.id, method: 'ott', fingerprint }, 'an identity has enrolled')
      return { chainPem, caPem }
    },
    password: async (token, password, source) => {
      const tokenDigest = secretDigest(token)
      const { identity, row } = await getRedeemable(store.db, { tokenDigest, method: 'updb', now: clock.now() })
      const passwordDigest = await digestNewPassword(identity, password)
      const args = { tokenDigest, authenticatorId: newIdInOrder(clock.now()), passwordDigest }
      await store.run(redeemPassword, args, metaOf(identity, source))
      log.info({ identityId: identity.id, method: 'updb' }, 'an identity has enrolled')
      return { username: row.username ?? '' }
    },
  }
}
