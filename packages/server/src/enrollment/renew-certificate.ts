import { stageRenewal } from '../operations/authenticator/renew-certificate.ts'
import type { ClientCertificates, IssuedCertificate } from '../platform/keys/client-certificates.ts'
import type { OperationMeta } from '../store/operation-meta.ts'
import type { Store } from '../store/store.ts'

export interface RenewCertificateParts {
  readonly store: Pick<Store, 'run'>
  readonly clientCertificates: Pick<ClientCertificates, 'issue'>
}

/**
 * Issues a new certificate for the actor's authenticator `id` and stores it beside the current one. Throws COULD_NOT_PROCESS_CSR when the CSR
 * cannot be used.
 */
export async function renewCertificate(
  { store, clientCertificates }: RenewCertificateParts,
  { id, presented, csrPem }: { readonly id: string; readonly presented: string; readonly csrPem: string },
  meta: OperationMeta,
): Promise<IssuedCertificate> {
  const issued = await clientCertificates.issue(csrPem, meta.actorId)
  const { chainPem: certPem, fingerprint, publicKeyDigest } = issued
  await store.run(stageRenewal, { id, presented, certPem, fingerprint, publicKeyDigest }, meta)
  return issued
}
