import type { ServerOptions } from 'node:https'
import { issuerKeyIdOf, newId, PASSWORD_COST, type PasswordCost, VerifiedTokenCache } from '@countersign/core'
import type { Logger } from 'pino'
import { CaEnrollment } from '../enrollment/ca-enrollment.ts'
import { createEnrollmentJwt } from '../enrollment/enrollment-jwt.ts'
import { EnrollmentReporter } from '../enrollment/enrollment-reporter.ts'
import { provisionAndReport } from '../enrollment/provision-and-report.ts'
import { RevocationLists } from '../enrollment/revocation-lists.ts'
import { TokenEnrollment } from '../enrollment/token-enrollment.ts'
import { apiSessionEvent } from '../events/api-session-event.ts'
import { AuditRecord } from '../events/audit-record.ts'
import { publishChanges } from '../events/change-events.ts'
import { createEventHub, type EventHub } from '../events/event-hub.ts'
import { createHealth } from '../events/health.ts'
import { createMetrics, type Metrics } from '../events/metrics/metrics.ts'
import { observeController } from '../events/metrics/observe-controller.ts'
import { observeSinks } from '../events/metrics/observe-sinks.ts'
import { timedStore } from '../events/metrics/timed-store.ts'
import { signerHealthEvent } from '../events/signer-health-event.ts'
import { BufferedRecorder } from '../events/sinks/buffered-recorder.ts'
import { KnownSinks } from '../events/sinks/known-sinks.ts'
import { createSendBatch, type SendBatch } from '../events/sinks/send-batch.ts'
import { SinkDelivery } from '../events/sinks/sink-delivery.ts'
import { sinkFolder } from '../events/sinks/sink-file.ts'
import { AcceptedTokens } from '../hosted/accepted-tokens.ts'
import { AccessTokenVerifier } from '../hosted/access-token-verifier.ts'
import { AccountClients } from '../hosted/account-clients.ts'
import { AccountJobs } from '../hosted/account-jobs.ts'
import { AccountTokens } from '../hosted/account-tokens.ts'
import { AccountUses } from '../hosted/account-uses.ts'
import { ApiAccounts } from '../hosted/api-accounts.ts'
import { ClientBindings } from '../hosted/client-bindings.ts'
import { HostedCallers } from '../hosted/hosted-caller.ts'
import { KnownAccounts } from '../hosted/known-accounts.ts'
import { LocalOrganization } from '../hosted/local-organization.ts'
import { PlannedRotations } from '../hosted/planned-rotations.ts'
import { ProviderDirectory } from '../hosted/provider-directory.ts'
import { SessionExchange } from '../hosted/session-exchange.ts'
import { TargetOrganizations } from '../hosted/target-organization.ts'
import { reportUnusedAccounts } from '../hosted/unused-accounts.ts'
import { REVOCATION_LIST } from '../http/api-paths.ts'
import { createHttpServer, type HttpServer } from '../http/pipeline/create-http-server.ts'
import { ProofsOfRequests } from '../http/pipeline/request-proofs.ts'
import { buildRoutes } from '../http/routes.ts'
import { QrPictures } from '../http/shared/qr-pictures.ts'
import { KeySets } from '../keyset/key-sets.ts'
import { createAttemptLimits } from '../limits/attempt-limits.ts'
import type { AttemptSharing } from '../limits/attempt-sharing.ts'
import { chargeRecordedStates } from '../limits/charge-recorded-states.ts'
import type { Guesses } from '../limits/guesses.ts'
import { CertificateCheck } from '../login/certificate-check.ts'
import { CertificateLogin } from '../login/certificate-login.ts'
import { BackchannelLogout } from '../login/channels/backchannel-logout.ts'
import { ChannelReporter } from '../login/channels/channel-reporter.ts'
import { ScimCallers } from '../login/channels/scim-callers.ts'
import { ScimService } from '../login/channels/scim-service.ts'
import { SharedSignals } from '../login/channels/shared-signals.ts'
import { HeldTokens } from '../login/console/held-tokens.ts'
import { LoginFlows } from '../login/console/login-flows.ts'
import { LoginProviders } from '../login/console/login-provider.ts'
import { IdentitySync } from '../login/identity-sync.ts'
import { LoginReporter } from '../login/login-reporter.ts'
import { OneTimeCodes } from '../login/one-time-codes.ts'
import { PasskeyChallenges } from '../login/passkeys/passkey-challenges.ts'
import { PasskeyLogin } from '../login/passkeys/passkey-login.ts'
import { PasswordLogin } from '../login/password-login.ts'
import { MAX_AT_ONCE } from '../login/passwords.ts'
import { SecondFactor } from '../login/second-factor.ts'
import { TokenLogin } from '../login/token-login.ts'
import { WhatIf } from '../login/what-if/what-if.ts'
import { createOidc } from '../oidc/create-oidc.ts'
import { SigningKeys } from '../oidc/signing-keys.ts'
import { expireSession } from '../operations/api-session/end-session.ts'
import { extendSession } from '../operations/api-session/extend-session.ts'
import type { SessionOptions } from '../operations/api-session/start-session.ts'
import { pruneAudit, storeHeads } from '../operations/audit/sign-heads.ts'
import { recordDecisions } from '../operations/auth-decision/record-decisions.ts'
import { arrangeRecords, pruneOutbox } from '../operations/event-sink/arrange-records.ts'
import { leaseSink, noteDelivery } from '../operations/event-sink/deliver.ts'
import { recordEvents } from '../operations/event-sink/record-events.ts'
import { recordKeptLogins } from '../operations/kept-login/record-kept-logins.ts'
import { reserveKeyFetch } from '../operations/signer/reserve-key-fetch.ts'
import { storeKeySet } from '../operations/signer/store-key-set.ts'
import { ensureSetting } from '../operations/start/ensure-setting.ts'
import { createAdministrations } from '../outbound/administration/administrations.ts'
import { createConditionalFetch } from '../outbound/conditional-fetch.ts'
import { createDiscoverProvider } from '../outbound/discover-provider.ts'
import { createDiscoverSigner } from '../outbound/discover-signer.ts'
import { createFetchDocument } from '../outbound/fetch-document.ts'
import { createFetchInTurn } from '../outbound/fetch-in-turn.ts'
import { createJwksEndpointPolicy } from '../outbound/jwks-endpoint-policy.ts'
import { createFetchJwks, type FetchJwks } from '../outbound/jwks-fetch.ts'
import { createMessageSender } from '../outbound/send-message.ts'
import type { Clock } from '../platform/clock.ts'
import { createClientCertificates, type IssuingKeys, issuersOf } from '../platform/keys/client-certificates.ts'
import type { Sealing } from '../platform/keys/sealing.ts'
import type { ServerIdentity } from '../platform/keys/server-identity.ts'
import { createSignControllerJwt } from '../platform/keys/sign-controller-jwt.ts'
import { OwnAddresses } from '../platform/own-addresses.ts'
import type { Settings } from '../platform/settings/index.ts'
import { settleWithin } from '../platform/settle-within.ts'
import { createClientChangeDetector } from '../session/client-change-detector.ts'
import { LiveSessions } from '../session/live-sessions.ts'
import { SYSTEM_ACTOR } from '../store/actor.ts'
import { jwksAuthorizationUse, keyOwnerOf } from '../store/key-signer.ts'
import { hasPasskey } from '../store/reads/passkey-reads.ts'
import type { Store } from '../store/store.ts'
import { withAdministratorLogins } from '../store/with-administrator-logins.ts'
import { withNode } from '../store/with-node.ts'
import { withWriteTurns } from '../store/write-turns.ts'
import { DecisionRecorder } from '../token/decision-recorder.ts'
import { KeptLogins } from '../token/kept-logins.ts'
import { KnownIdentities } from '../token/known-identities.ts'
import { KnownPolicies } from '../token/known-policies.ts'
import { KnownRevocations } from '../token/known-revocations.ts'
import { LoginExplainer } from '../token/login-explainer.ts'
import { ProofNonces } from '../token/proof-nonces.ts'
import { SignatureChecks } from '../token/signatures/signature-checks.ts'
import { SignerDirectory } from '../token/signer-directory.ts'
import { SignerKeyCheck } from '../token/signer-key-check.ts'
import { ThirdPartyCas } from '../token/third-party-cas.ts'
import { TokenVerifier } from '../token/token-verifier.ts'
import { startUpkeep } from './upkeep.ts'

/** Time for the last writes on close: an unresponsive database must not delay it. */
const LAST_WRITES_TIMEOUT_MS = 700
const DAY_MS = 86_400_000

export interface ControllerParts {
  readonly store: Store
  readonly clock: Clock
  readonly settings: Settings
  readonly log: Logger
  readonly sealing: Sealing
  readonly tls: ServerOptions
  readonly addresses: () => readonly string[]
  readonly caCertificates: () => Buffer
  readonly serverIdentity: () => ServerIdentity
  /** By default a new hub. */
  readonly events?: EventHub
  /** Returns the current keys for issuing client certificates. */
  readonly issuingKeys: () => IssuingKeys
  readonly passwordCost?: PasswordCost
  /** Set when this is one of several processes of a node. */
  readonly worker?: WorkerContext
  /** By default over the network. */
  readonly fetchJwks?: FetchJwks
  /** The data directory, for files of events. */
  readonly dataDir?: string
  /** By default in this process. */
  readonly sendBatch?: SendBatch | undefined
  /** The name of this node in the audit record, which stays when it starts again; by default that in its events. */
  readonly nodeName?: string
  /** Folder of the built console; by default the build's output folder. */
  readonly consoleFolder?: string | undefined
}

/** What a worker shares with the other workers of its node. */
export interface WorkerContext {
  /** Exactly one worker is the lead. It does the tasks that run once per node. */
  readonly isLead: boolean
  readonly workers: number
  readonly instanceId: string
  readonly attempts: AttemptSharing
  readonly guesses: Guesses
  readonly fetchJwks: FetchJwks
  readonly sendBatch?: SendBatch
}

export interface Controller {
  readonly http: HttpServer
  readonly events: EventHub
  readonly metrics: Metrics
  readonly auditRecord: AuditRecord
  /** Records and delivers the events of now. Otherwise this happens within half a second. */
  deliverEvents(): Promise<void>
  /** Loads ahead of the first request what it would otherwise wait for. */
  prepare(): Promise<void>
  /** Finishes running requests and releases everything except the store, which the caller closes. */
  close(): Promise<void>
}

/** Wires one controller from its parts. It does not depend on the process: a process can create several. */
export function createController(parts: ControllerParts): Controller {
  const { clock, settings, log, worker } = parts
  const metrics = createMetrics()
  const events = parts.events ?? createEventHub({ nodeId: newId(), clock })
  const store = withAdministratorLogins(
    withWriteTurns(withNode(timedStore(parts.store, metrics), parts.nodeName ?? events.nodeId), clock),
    () => keptLogins.loadOfAdministrators(),
  )
  const health = createHealth({ store, clock })
  publishChanges(store, events)
  const system = () => ({ actorId: SYSTEM_ACTOR.id, now: clock.now() })
  const sinks = new KnownSinks(store)
  const messageSender = createMessageSender({ settings })
  const folder = parts.dataDir === undefined ? undefined : sinkFolder(parts.dataDir)
  const sinkDelivery = new SinkDelivery({
    ...parts,
    store,
    nodeId: events.nodeId,
    sinks,
    send: parts.sendBatch ?? createSendBatch({ ...parts, sender: messageSender, folder }),
    arrange: () => store.run(arrangeRecords, {}, system()),
    lease: (sink) => store.run(leaseSink, sink, system()),
    note: (sink, note) => store.run(noteDelivery, { ...sink, note }, system()),
    isLead: worker?.isLead !== false,
  })
  const auditRecord = new AuditRecord({
    ...parts,
    store,
    isLead: worker?.isLead !== false,
    arrange: () => store.run(arrangeRecords, {}, system()),
    ensureSetting: (name, value) => store.run(ensureSetting, { name, value }, system()),
    storeHeads: (heads, signed) => {
      return store.run(storeHeads, { heads }, { ...system(), events: events.toRecord(signed) })
    },
    prune: (anchor) => store.run(pruneAudit, { anchor }, system()),
  })
  const recorder = new BufferedRecorder({
    sinks,
    log,
    save: (lines) => store.run(recordEvents, {}, { ...system(), events: lines }),
    onSaved: () => sinkDelivery.wake(),
  })
  events.recordWith(recorder)
  store.onOwnChange(() => sinkDelivery.wake())
  const session: SessionOptions = {
    store,
    clock,
    events,
    idleMs: settings.session.idleSeconds * 1000,
    maxMs: settings.session.maxSeconds * 1000,
    maxPerIdentity: settings.session.maxPerIdentity,
  }
  const policies = new KnownPolicies(store)
  const sessions = new LiveSessions({
    ...session,
    policies,
    extend: ({ identityId, ...use }) => store.run(extendSession, use, { actorId: identityId, now: clock.now() }),
    expire: ({ identityId, ...session }) =>
      store.run(expireSession, session, { actorId: identityId, now: clock.now() }),
  })
  const signers = new SignerDirectory(store, log)
  const fetchDocument = createFetchDocument({ settings })
  const jwksPolicy = createJwksEndpointPolicy(settings)
  const fetchJwks = parts.fetchJwks ?? worker?.fetchJwks ?? createFetchJwks(createConditionalFetch(fetchDocument))
  const signerKeys = new KeySets({
    store,
    fetchJwks,
    endpoints: jwksPolicy,
    saveKeySet: (keySet) => store.run(storeKeySet, keySet, system()),
    openAuthorization: (signerId, sealed) => parts.sealing.open(sealed, jwksAuthorizationUse(signerId)),
    reserveKeyFetch: (budget) => store.run(reserveKeyFetch, budget, system()),
    clock,
    settings,
    log,
    onWarning: (warning) => {
      events.publish(signerHealthEvent({ ...warning, signerId: keyOwnerOf(warning.signerId) }))
    },
  })
  const cache = new VerifiedTokenCache()
  const limits = createAttemptLimits({ settings, clock, log, metrics, sharing: worker?.attempts })
  chargeRecordedStates(store, limits)
  const signatures = new SignatureChecks(log)
  const signingKeys = settings.oidc.enabled ? new SigningKeys({ ...parts, store }) : undefined
  const verifier = new TokenVerifier({
    directory: signers,
    keys: signerKeys,
    cache,
    clock,
    limit: limits.signer,
    metrics,
    checkSignature: signatures.check,
    isOwnKey: async (kid) => signingKeys?.has(kid) ?? false,
  })
  const revocations = new KnownRevocations(store)
  const identitySync = new IdentitySync({ store, clock, events, limits })
  const secondFactor = new SecondFactor({
    directory: signers,
    verifier,
    identitySync,
    revocations,
    clock,
    hasPasskey: (identityId) => hasPasskey(store.db, identityId),
  })
  const decisions = new DecisionRecorder({
    save: (decisions, recorded) => store.run(recordDecisions, { decisions, ...recorded }, system()),
    clock,
    log,
  })
  const keptLogins = new KeptLogins({
    ...parts,
    store,
    save: (logins) => {
      return store.run(recordKeptLogins, { logins, maxPerSigner: settings.whatIf.keepPerSigner }, system())
    },
  })
  const logins = new LoginReporter({ events, decisions, metrics })
  const localOrganization = new LocalOrganization(store)
  const providers = new ProviderDirectory(store, log)
  const accounts = new KnownAccounts(store, clock)
  const accountTokens = new AccountTokens({ store, clock, accounts, providers })
  const accountUses = new AccountUses({ store, clock, log })
  const accessTokens = new AccessTokenVerifier({ providers, accounts, verifier, cache, accountTokens, clock })
  const acceptedTokens = new AcceptedTokens(decisions, clock)
  const hostedCallers = new HostedCallers({
    accessTokens,
    sessions,
    secondFactor,
    localOrganization,
    accountUses,
    logins,
    acceptedTokens,
  })
  const fetchInTurn = createFetchInTurn(fetchDocument)
  const administrations = createAdministrations({ fetchDocument, fetchInTurn, clock })
  const accountClients = new AccountClients({ ...parts, administrations })
  const accountJobs = new AccountJobs({ ...parts, accountClients })
  const targetOrganizations = new TargetOrganizations(store)
  const apiAccounts = new ApiAccounts({ store, accountClients, accountJobs })
  const discoverProvider = createDiscoverProvider(fetchInTurn, jwksPolicy)
  const clientBindings = new ClientBindings({ localOrganization, discoverProvider, verifier, cache })
  const plannedRotations = new PlannedRotations({ ...parts, accountJobs, clientBindings })
  const signControllerJwt = createSignControllerJwt(parts.serverIdentity)
  const signerKeyCheck = new SignerKeyCheck(signers, signerKeys)
  const clientCertificates = createClientCertificates({
    keys: parts.issuingKeys,
    clock,
    clientDays: settings.certificates.clientDays,
    revocationListUrl: (issuer) => `https://${parts.addresses()[0]}${REVOCATION_LIST}?issuer=${issuerKeyIdOf(issuer)}`,
    isSignerKey: (publicKey) => signerKeyCheck.isSignerKey(publicKey),
  })
  const revocationLists = new RevocationLists({
    store,
    clock,
    issuers: () => issuersOf(parts.issuingKeys()),
    isUpdating: worker?.isLead !== false,
  })
  const { authorities } = clientCertificates
  const thirdPartyCas = new ThirdPartyCas({ store, clock })
  const certificates = new CertificateCheck({ store, clock, authorities, thirdPartyCas })
  const certificateLogin = new CertificateLogin({ ...session, certificates, authorities })
  const heldTokens = new HeldTokens(parts.sealing)
  const passwordLogin = new PasswordLogin({
    ...session,
    passwordCost: parts.passwordCost ?? PASSWORD_COST,
    limits,
    log,
    guesses: worker?.guesses,
    maxPasswordsAtOnce: worker && Math.ceil(MAX_AT_ONCE / worker.workers),
  })
  const challenges = new PasskeyChallenges(parts)
  const ownAddresses = new OwnAddresses(parts)
  const passkeyLogin = new PasskeyLogin({ ...session, challenges })
  const oidc = signingKeys
    ? createOidc({
        ...parts,
        signingKeys,
        store,
        events,
        sessions,
        clientCertificates,
        cache,
        checkSignature: signatures.check,
        limits,
      })
    : undefined
  const explainer = new LoginExplainer({
    store,
    directory: signers,
    keys: signerKeys,
    clock,
    log,
    checkSignature: signatures.check,
  })
  const tokenEnrollment = new TokenEnrollment({
    store,
    clock,
    directory: signers,
    verifier,
    clientCertificates,
    policies,
    limits,
  })
  const enrollments = new EnrollmentReporter({ log, events, decisions, metrics })
  const channelReporter = new ChannelReporter({ events, decisions })
  const channel = { store, clock, directory: signers, verifier, reporter: channelReporter }
  const routes = buildRoutes({
    ...parts,
    acceptedTokens,
    oidc,
    limits,
    heldTokens,
    loginFlows: new LoginFlows(parts),
    loginProviders: new LoginProviders({ fetchDocument, clock }),
    store,
    clientCertificates,
    revocationLists,
    startedAt: clock.now(),
    signControllerJwt,
    enrollmentJwt: createEnrollmentJwt({ ...parts, signControllerJwt }),
    sessions,
    policies,
    secondFactor,
    oneTimeCodes: new OneTimeCodes(parts),
    qrPictures: new QrPictures(),
    signers,
    signerKeys,
    passwordLogin,
    passkeyLogin,
    challenges,
    ownAddresses,
    tokenLogin: new TokenLogin({
      session,
      directory: signers,
      verifier,
      identities: new KnownIdentities(store, policies),
      identitySync,
      provision: (signer, token, request, tokenContext) => {
        return provisionAndReport({ tokenEnrollment, enrollments }, { signer, token }, request, tokenContext)
      },
      keptLogins,
      limits,
    }),
    whatIf: new WhatIf({ store, clock, idleMs: session.idleMs, directory: signers, policies, keptLogins }),
    certificateLogin,
    certificates,
    tokenEnrollment,
    thirdPartyCas,
    caEnrollment: new CaEnrollment({ store, clock, log, thirdPartyCas, limits }),
    enrollments,
    backchannelLogout: new BackchannelLogout(channel),
    sharedSignals: new SharedSignals(channel),
    scim: new ScimService({ ...channel, limits }),
    explainer,
    decisions,
    keptLogins,
    logins,
    events,
    health,
    discoverSigner: createDiscoverSigner(fetchInTurn, jwksPolicy),
    jwksPolicy,
    sessionExchange: new SessionExchange(session),
    targetOrganizations,
    localOrganization,
    discoverProvider,
    apiAccounts,
    accountClients,
    plannedRotations,
    accessTokens,
    accountTokens,
    accountUses,
    clientBindings,
    sinkDelivery,
    auditRecord,
  })
  const noteSessionUse = createClientChangeDetector((move, { id, identity, isOidc }, address) =>
    events.publish(apiSessionEvent(move, { id, identityId: identity.id, ipAddress: address, isOidc })),
  )
  const http = createHttpServer({
    routes,
    sessions,
    bearerSessions: oidc?.bearerSessions,
    secondFactor,
    noteSessionUse,
    hostedCallers,
    scimCallers: new ScimCallers({ store, reporter: channelReporter, limits }),
    heldTokens,
    proofs: new ProofsOfRequests({
      store,
      clock,
      nonces: new ProofNonces(parts),
      ownAddresses,
      checkSignature: signatures.checkAlone,
    }),
    limits,
    settings,
    tls: parts.tls,
    log,
    beforeRequest: store.catchUp,
    instanceId: worker?.instanceId,
  })
  observeSinks({ metrics, store, recorder })
  observeController({ metrics, store, clock, sessions, signerKeys, events, decisions, streams: http.streams })
  const upkeep =
    worker?.isLead === false
      ? undefined
      : startUpkeep({
          store,
          clock,
          log,
          revocationLists,
          endOldSessions: () => accountClients.endOldSessions(),
          pruneEvents: async () => {
            const { keepDays, keepRows } = settings.events
            while (await store.run(pruneOutbox, { keepMs: keepDays * DAY_MS, keepRows }, system()));
            await auditRecord.prune(clock.now() - settings.audit.keepDays * DAY_MS)
          },
          keepLoginsForDays: settings.whatIf.keepLogins ? settings.whatIf.keepDays : 0,
          rotateKeys: async () => oidc?.signingKeys.rotate(),
          workAtProviders: [
            () => accountClients.removeRetired(),
            () => accountJobs.runDue(),
            () => plannedRotations.runDue(),
          ],
          reportUnusedAccounts: () =>
            reportUnusedAccounts({ store, clock, events, days: settings.hosted.unusedAccountDays }),
        })
  return {
    http,
    events,
    metrics,
    auditRecord,
    deliverEvents: async () => {
      await recorder.flush()
      await sinkDelivery.deliver()
    },
    prepare: async () => {
      await http.ready()
      // When the store fails now, the first request loads again.
      await Promise.allSettled([signers.enabled(), signerKeys.loaded])
    },
    close: async () => {
      health.stop()
      await http.close()
      await settleWithin(LAST_WRITES_TIMEOUT_MS, [
        decisions.settle({ isLast: true }),
        keptLogins.flush(),
        accountUses.flush(),
        recorder.flush().then(() => sinkDelivery.stop()),
        auditRecord.stop(),
        upkeep?.stop(),
        signerKeys.stop(),
      ])
      await signatures.close()
      messageSender.close()
    },
  }
}
