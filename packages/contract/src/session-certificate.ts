import { MAX_PEM_LENGTH, secret } from './body-members.ts'
import Type, { type Static } from './schema/type.ts'

/** Body of POST. `readCsr` enforces the smaller length limit of a CSR. */
export const SessionCertificateCreate = Type.Object({ csr: secret({ minLength: 0, maxLength: MAX_PEM_LENGTH }) })

export type SessionCertificateCreate = Static<typeof SessionCertificateCreate>
