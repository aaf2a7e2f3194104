import type { Logger } from 'pino'
import type { EnrollByJwt } from '../enrollment/enroll-by-jwt.ts'
import type { EnrollmentJwt } from '../enrollment/enrollment-jwt.ts'
import type { EnrollmentReporter } from '../enrollment/report-enrollment.ts'
import type { EventHub } from '../events/event-hub.ts'
import type { Health } from '../events/health.ts'
import type { Metrics } from '../events/metrics/metrics.ts'
import type { AccountClients } from '../hosted/account-clients.ts'
import type { ApiAccounts } from '../hosted/api-accounts.ts'
import type { ExchangeSession } from '../hosted/exchange-session.ts'
import type { TargetOrganization } from '../hosted/target-organization.ts'
import type { SignerKeyKeeper } from '../keyset/signer-keys.ts'
import type { CertSignIn } from '../login/certificate-login.ts'
import type { HeldTokens } from '../login/console/held-tokens.ts'
import type { LoginFlows } from '../login/console/login-flows.ts'
import type { LoginProviders } from '../login/console/login-provider.ts'
import type { JudgeCertificate } from '../login/judge-certificate.ts'
import type { SignInReporter } from '../login/login-reporter.ts'
import type { OneTimeCodes } from '../login/one-time-codes.ts'
import type { PasswordLogin } from '../login/password-login.ts'
import type { SecondFactor } from '../login/second-factor.ts'
import type { TokenLogin } from '../login/token-login.ts'
import type { DiscoverProvider } from '../outbound/discover-provider.ts'
import type { DiscoverSigner } from '../outbound/discover-signer.ts'
import type { JwksEndpointPolicy } from '../outbound/jwks-endpoint-policy.ts'
import type { Clock } from '../platform/clock.ts'
import type { ClientCertificates } from '../platform/keys/client-certificates.ts'
import type { Sealing } from '../platform/keys/sealing.ts'
import type { ServerIdentity } from '../platform/keys/server-identity.ts'
import type { SignControllerJwt } from '../platform/keys/sign-controller-jwt.ts'
import type { Settings } from '../platform/settings/index.ts'
import type { LiveSessions } from '../session/live-sessions.ts'
import type { Store } from '../store/store.ts'
import type { DecisionRecorder } from '../token/decision-recorder.ts'
import type { ExplainSignIn } from '../token/explain-login.ts'
import type { SignerDirectory } from '../token/signer-directory.ts'

/** What the routes work with. A controller is an object: one process can hold several. */
export interface ControllerContext {
  readonly store: Store
  readonly clock: Clock
  readonly settings: Settings
  readonly log: Logger
  readonly sealing: Sealing
  readonly sessions: LiveSessions
  readonly secondFactor: SecondFactor
  readonly oneTimeCodes: OneTimeCodes
  readonly logInWithPassword: PasswordLogin
  readonly tokenLogin: TokenLogin
  readonly signInWithCertificate: CertSignIn
  readonly judgeCertificate: JudgeCertificate
  readonly enrollByJwt: EnrollByJwt
  readonly enrollments: EnrollmentReporter
  readonly explainSignIn: ExplainSignIn
  readonly decisions: DecisionRecorder
  /** Where every outcome of signing in is reported. */
  readonly signIns: SignInReporter
  readonly events: EventHub
  readonly health: Health
  readonly metrics: Metrics
  readonly discoverSigner: DiscoverSigner
  readonly signers: SignerDirectory
  readonly signerKeys: SignerKeyKeeper
  readonly jwksPolicy: JwksEndpointPolicy
  readonly exchangeSession: ExchangeSession
  readonly targetOrganization: TargetOrganization
  readonly discoverProvider: DiscoverProvider
  readonly accountClients: AccountClients
  readonly apiAccounts: ApiAccounts
  /** host:port pairs under which clients reach this controller, the first one preferred. */
  readonly addresses: () => readonly string[]
  /** The CA certificates as EST clients want them: PKCS#7, base64 in lines of 64. */
  readonly caCertificates: () => Buffer
  /** The server certificate that is in use. */
  readonly serverIdentity: () => ServerIdentity
  /** Signs what the controller hands out under its own name. */
  readonly signControllerJwt: SignControllerJwt
  readonly enrollmentJwt: EnrollmentJwt
  /** When this controller was made. */
  readonly startedAt: number
  readonly clientCertificates: ClientCertificates
  readonly heldTokens: HeldTokens
  readonly loginFlows: LoginFlows
  readonly loginProviders: LoginProviders
  /** Where the built console is; where the build leaves it unless given. */
  readonly consoleFolder?: string | undefined
}
