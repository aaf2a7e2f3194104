/** Response types under the names that the pages use. */
import type { AccountWithCredentials, IdentityProvider } from '@countersign/sdk'

export type {
  Account,
  AuditEvent,
  AuthDecision as Decision,
  AuthPolicy as Policy,
  DiscoveredSigner,
  Explanation,
  IdentityProvider as Provider,
  KeyStatus,
  Network,
  OperatorOrganization,
  ScimToken,
  Signer,
  SignerCertificate,
} from '@countersign/sdk'
export type ProviderKind = IdentityProvider['kind']
export type AdministrationKind = NonNullable<IdentityProvider['administration']>['kind']
/** The credentials file: exactly these three members. */
export type Credentials = NonNullable<AccountWithCredentials['credentials']>
