import type { AuthPolicySettings } from '@countersign/core'
import { stageRenewal } from '../operations/authenticator/renew-certificate.ts'
import type { ClientCertificates, IssuedCertificate } from '../platform/keys/client-certificates.ts'
import type { SignerRevision } from '../store/actor-credential.ts'
import type { OperationMeta } from '../store/operation-meta.ts'
import type { Store } from '../store/store.ts'

export interface RenewCertificateParts {
  readonly store: Pick<Store, 'run'>
  readonly clientCertificates: Pick<ClientCertificates, 'issue'>
}

export interface RenewalRequest {
  readonly id: string
  /** The fingerprint of the certificate that the connection presented. */
  readonly presented: string
  readonly csrPem: string
  /** That of the actor. */
  readonly policy: Pick<AuthPolicySettings, 'certificate'>
  /** The signer of a token that came with the request. */
  readonly token: SignerRevision | null
}

/**
 * Issues a new certificate for the actor's authenticator `id` and stores it beside the current one. Throws COULD_NOT_PROCESS_CSR when the CSR
 * cannot be used.
 */
export async function renewCertificate(
  { store, clientCertificates }: RenewCertificateParts,
  { id, presented, csrPem, policy, token }: RenewalRequest,
  meta: OperationMeta,
): Promise<IssuedCertificate> {
  const issued = await clientCertificates.issue(csrPem, meta.actorId, policy)
  const { chainPem: certPem, fingerprint, publicKeyDigest } = issued
  await store.run(stageRenewal, { id, presented, token, certPem, fingerprint, publicKeyDigest }, meta)
  return issued
}
