import { newId } from '@countersign/core'
import { createSessionCertificate } from '../operations/api-session/session-certificates.ts'
import type { ClientCertificates, IssuedCertificate } from '../platform/keys/client-certificates.ts'
import type { OperationMeta } from '../store/operation-meta.ts'
import type { Store } from '../store/store.ts'

export interface SessionCertificateParts {
  readonly store: Pick<Store, 'run'>
  readonly clientCertificates: Pick<ClientCertificates, 'issueForSession'>
}

/**
 * Issues and stores a certificate for the connections of the actor's session. Throws COULD_NOT_PROCESS_CSR when the CSR cannot be used,
 * and CERT_IN_USE when its key belongs to another identity.
 */
export async function issueSessionCertificate(
  { store, clientCertificates }: SessionCertificateParts,
  { apiSessionId, csrPem }: { readonly apiSessionId: string; readonly csrPem: string },
  meta: OperationMeta,
): Promise<IssuedCertificate & { readonly id: string }> {
  const id = newId()
  const subjectIds = { identityId: meta.actorId, apiSessionId, certificateId: id }
  const issued = await clientCertificates.issueForSession(csrPem, subjectIds)
  const { certPem, subject, fingerprint, publicKeyDigest, notBefore, notAfter } = issued
  await store.run(
    createSessionCertificate,
    { id, apiSessionId, subject, fingerprint, publicKeyDigest, certPem, notBefore, notAfter },
    meta,
  )
  return { ...issued, id }
}
