/** The shapes of the answers, by the names that the pages have for them. */
import type { AccountWithCredentials, Explanation, IdentityProvider } from '@countersign/sdk'

export type {
  Account,
  ApiSession,
  AuthDecision as Decision,
  Authenticator,
  AuthPolicy as Policy,
  ClientSigner,
  DiscoveredSigner,
  Enrollment,
  Explanation,
  Identity,
  IdentityProvider as Provider,
  KeyStatus,
  Network,
  Signer,
  SignerCertificate,
} from '@countersign/sdk'
export type Check = Explanation['signers'][number]['checks'][number]
export type ProviderKind = IdentityProvider['kind']
/** The credentials file: exactly these three members. */
export type Credentials = NonNullable<AccountWithCredentials['credentials']>
