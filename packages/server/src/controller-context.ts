import type { Logger } from 'pino'
import type { LiveSessions } from './api-session/live-sessions.ts'
import type { PasswordLogin } from './api-session/password-login.ts'
import type { Clock } from './clock.ts'
import type { Settings } from './config/index.ts'
import type { HeldTokens } from './console-login/held-tokens.ts'
import type { LoginFlows } from './console-login/login-flows.ts'
import type { LoginProviders } from './console-login/login-provider.ts'
import type { EnrollByJwt } from './enrollment/enroll-by-jwt.ts'
import type { EnrollmentJwt } from './enrollment/enrollment-jwt.ts'
import type { EnrollmentReporter } from './enrollment/report-enrollment.ts'
import type { EventHub } from './events/event-hub.ts'
import type { AccountClients } from './hosted/account-clients.ts'
import type { ApiAccounts } from './hosted/api-accounts.ts'
import type { DiscoverProvider } from './hosted/discover-provider.ts'
import type { ExchangeSession } from './hosted/exchange-session.ts'
import type { TargetOrganization } from './hosted/target-organization.ts'
import type { ClientCertificates } from './keys/client-certificates.ts'
import type { Sealing } from './keys/sealing.ts'
import type { ServerIdentity } from './keys/server-identity.ts'
import type { SignControllerJwt } from './keys/sign-controller-jwt.ts'
import type { JwksEndpointPolicy } from './outbound/jwks-endpoint-policy.ts'
import type { CertSignIn } from './sign-in/cert-sign-in.ts'
import type { DecisionRecorder } from './sign-in/decision-recorder.ts'
import type { DiscoverSigner } from './sign-in/discover-signer.ts'
import type { ExplainSignIn } from './sign-in/explain-sign-in.ts'
import type { ExtJwtSignIn } from './sign-in/ext-jwt-sign-in.ts'
import type { JudgeCertificate } from './sign-in/judge-certificate.ts'
import type { OneTimeCodes } from './sign-in/one-time-codes.ts'
import type { SignInReporter } from './sign-in/report-sign-in.ts'
import type { SecondFactor } from './sign-in/second-factor.ts'
import type { SignerDirectory } from './sign-in/signer-directory.ts'
import type { SignerKeyKeeper } from './signer-keys/signer-keys.ts'
import type { Store } from './store/store.ts'
import type { Health } from './telemetry/health.ts'
import type { Metrics } from './telemetry/metrics.ts'

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
  readonly signInWithJwt: ExtJwtSignIn
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
