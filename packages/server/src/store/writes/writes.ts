import type { WriteOperation } from '../write-operation.ts'
import { API_SESSION_WRITES } from './api-session-writes.ts'
import { AUTH_DECISION_WRITES } from './auth-decision-writes.ts'
import { AUTH_POLICY_WRITES } from './auth-policy-writes.ts'
import { AUTHENTICATOR_WRITES } from './authenticator-writes.ts'
import { CERTIFICATE_WRITES } from './certificate-writes.ts'
import { CHANGE_LOG_WRITES } from './change-log-writes.ts'
import { ENROLLMENT_WRITES } from './enrollment-writes.ts'
import { ACCOUNT_IDENTITY_WRITES } from './hosted/account-identity-writes.ts'
import { API_ACCOUNT_WRITES } from './hosted/api-account-writes.ts'
import { IDENTITY_PROVIDER_WRITES } from './hosted/identity-provider-writes.ts'
import { NETWORK_WRITES } from './hosted/network-writes.ts'
import { ORGANIZATION_WRITES } from './hosted/organization-writes.ts'
import { IDENTITY_WRITES } from './identity-writes.ts'
import { JWT_ENROLLMENT_WRITES } from './jwt-enrollment-writes.ts'
import { SESSION_CERTIFICATE_WRITES } from './session-certificate-writes.ts'
import { SIGNER_KEY_WRITES } from './signer-key-writes.ts'
import { SIGNER_WRITES } from './signer-writes.ts'
import { START_WRITES } from './start-writes.ts'
import { TOTP_WRITES } from './totp-writes.ts'

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
