import { optional } from './body-members.ts'
import type { ErrorCode } from './error-codes.ts'
import Type, { type Static } from './schema/type.ts'

/** Longer than any usable CSR. */
export const MAX_CSR_LENGTH = 16_384

/** A certificate signing request in PEM. */
const csr = () =>
  Type.String({ maxLength: MAX_CSR_LENGTH, secret: true, refusedAs: 'MISSING_OR_INVALID_CSR' satisfies ErrorCode })

/** Body of `POST /enroll/token`. With a CSR the identity enrolls for a certificate, otherwise for logins by token. */
export const EnrollToken = Type.Object({ clientCsr: optional(csr()) })

export type EnrollToken = Static<typeof EnrollToken>
