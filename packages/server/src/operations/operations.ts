import type { WriteOperation } from '../store/write-operation.ts'
import { ACCOUNT_IDENTITY_WRITES } from './api-account/account-identity.ts'
import { API_ACCOUNT_WRITES } from './api-account/api-account-operations.ts'
import { API_SESSION_WRITES } from './api-session/api-session-operations.ts'
import { SESSION_CERTIFICATE_WRITES } from './api-session/session-certificate-operations.ts'
import { AUTH_DECISION_WRITES } from './auth-decision/auth-decision-operations.ts'
import { AUTH_POLICY_WRITES } from './auth-policy/auth-policy-operations.ts'
import { AUTHENTICATOR_WRITES } from './authenticator/authenticator-operations.ts'
import { CERTIFICATE_WRITES } from './authenticator/certificate-operations.ts'
import { JWT_ENROLLMENT_WRITES } from './enrollment/enroll-by-jwt.ts'
import { ENROLLMENT_WRITES } from './enrollment/enrollment-operations.ts'
import { IDENTITY_WRITES } from './identity/identity-operations.ts'
import { IDENTITY_PROVIDER_WRITES } from './identity-provider/identity-provider-operations.ts'
import { NETWORK_WRITES } from './network/network-operations.ts'
import { ORGANIZATION_WRITES } from './organization/organization-operations.ts'
import { SIGNER_KEY_WRITES } from './signer/signer-key-operations.ts'
import { SIGNER_WRITES } from './signer/signer-operations.ts'
import { START_WRITES } from './start/start-operations.ts'
import { TOTP_WRITES } from './totp/totp-operations.ts'
import { CHANGE_LOG_WRITES } from './upkeep/change-log-operations.ts'

/** Every transaction of the product, by name. */
export const WRITES = {
  ...START_WRITES,
  ...SIGNER_WRITES,
  ...SIGNER_KEY_WRITES,
  ...AUTH_POLICY_WRITES,
  ...IDENTITY_WRITES,
  ...AUTHENTICATOR_WRITES,
  ...CERTIFICATE_WRITES,
  ...JWT_ENROLLMENT_WRITES,
  ...ENROLLMENT_WRITES,
  ...API_SESSION_WRITES,
  ...SESSION_CERTIFICATE_WRITES,
  ...TOTP_WRITES,
  ...CHANGE_LOG_WRITES,
  ...AUTH_DECISION_WRITES,
  ...ORGANIZATION_WRITES,
  ...IDENTITY_PROVIDER_WRITES,
  ...NETWORK_WRITES,
  ...API_ACCOUNT_WRITES,
  ...ACCOUNT_IDENTITY_WRITES,
} satisfies Record<string, WriteOperation<never, unknown>>

export type WriteName = keyof typeof WRITES
export type WriteArgs<Name extends WriteName> = Parameters<(typeof WRITES)[Name]>[1]
export type WriteResult<Name extends WriteName> = Awaited<ReturnType<(typeof WRITES)[Name]>>
