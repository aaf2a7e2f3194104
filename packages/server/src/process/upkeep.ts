import type { Logger } from 'pino'
import type { RevocationLists } from '../enrollment/revocation-lists.ts'
import { expireAccounts } from '../operations/api-account/expire-accounts.ts'
import { pruneAccountTokens } from '../operations/api-account/prune-account-tokens.ts'
import { deleteExpiredSessions } from '../operations/api-session/end-session.ts'
import { pruneDecisions } from '../operations/auth-decision/record-decisions.ts'
import { noteExpiries } from '../operations/authenticator/note-expiries.ts'
import { pruneCertificates } from '../operations/certificate/update-revocations.ts'
import { expireIdentities } from '../operations/identity/expire-identities.ts'
import { pruneDeletedIdentities } from '../operations/identity/prune-deleted-identities.ts'
import { pruneKeptLogins } from '../operations/kept-login/record-kept-logins.ts'
import { pruneChallenges } from '../operations/passkey/prune-challenges.ts'
import { pruneUsedCredentials } from '../operations/possession/use-proof.ts'
import { pruneRevocations, REVOCATION_LIMITS } from '../operations/provider-channel/prune-revocations.ts'
import { pruneChangeLog } from '../operations/upkeep/prune-change-log.ts'
import { pruneOidc } from '../operations/upkeep/prune-oidc.ts'
import type { Clock } from '../platform/clock.ts'
import { SYSTEM_ACTOR } from '../store/actor.ts'
import { findAccountsToExpire } from '../store/reads/expired-account-reads.ts'
import { findIdentitiesToExpire } from '../store/reads/identity-access-reads.ts'
import type { Store } from '../store/store.ts'

const INTERVAL_MS = 60_000
const DAY_MS = 86_400_000
/** Reads all API accounts. */
const UNUSED_INTERVAL_MS = 3_600_000
/** Nodes of an earlier release on the same database do not record the certificates that they issue. */
const RECORD_INTERVAL_MS = 600_000
/** The access of an identity ends at its time; what follows from that is written this often. */
const EXPIRY_INTERVAL_MS = 500
/** A revoked certificate must be on its list within 10 seconds. */
const REVOCATION_INTERVAL_MS = 1_000

interface UpkeepParts {
  readonly store: Store
  readonly clock: Clock
  readonly log: Logger
  readonly revocationLists: Pick<RevocationLists, 'update' | 'recordEarlier'>
  /** Ends the sessions of retired clients. */
  endOldSessions(): Promise<void>
  /** Deletes events for sinks that are too old or too many. */
  pruneEvents(): Promise<void>
  /** For how many days the claims of logins are kept; 0 for none. */
  readonly keepLoginsForDays: number
  /** Creates the next signing key of the OpenID provider when it is due. */
  rotateKeys(): Promise<void>
  /** Removes retired clients, does the jobs that are due, and rotates credentials by their plans. Sends requests to providers, which may be slow. */
  readonly workAtProviders: readonly (() => Promise<void>)[]
  /** Publishes events about unused API accounts. */
  reportUnusedAccounts(): Promise<void>
}

/**
 * Ends the access of identities and API accounts at their `expiresAt`. Every second, updates the lists of revoked certificates. Every hour, reports unused accounts. Every minute, deletes
 * expired sessions, old decisions, old claims of logins, change-log entries, notes of deleted identities and revocations that are no longer needed, what the OpenID provider no longer needs, spent challenges, used
 * tokens and proofs, and retired clients, notes the expiry of certificates of earlier releases, and rotates its signing keys.
 */
export function startUpkeep({ store, clock, log, ...parts }: UpkeepParts): { stop(): Promise<void> } {
  const meta = () => ({ actorId: SYSTEM_ACTOR.id, now: clock.now() })
  const keptSince = () =>
    parts.keepLoginsForDays === 0 ? clock.now() + 1 : clock.now() - parts.keepLoginsForDays * DAY_MS
  const deleteRows = async (): Promise<void> => {
    while (await store.run(deleteExpiredSessions, {}, meta()));
    while (await store.run(pruneDecisions, {}, meta()));
    while (await store.run(pruneKeptLogins, { until: keptSince() }, meta()));
    while (await store.run(pruneChangeLog, {}, meta()));
    while (await store.run(pruneDeletedIdentities, {}, meta()));
    while (await store.run(pruneRevocations, REVOCATION_LIMITS, meta()));
    while (await store.run(pruneOidc, {}, meta()));
    while (await store.run(pruneChallenges, {}, meta()));
    while (await store.run(noteExpiries, {}, meta()));
    while (await store.run(pruneCertificates, {}, meta()));
    await parts.pruneEvents()
    while (await store.run(pruneUsedCredentials, {}, meta()));
    await parts.rotateKeys()
    while (await store.run(pruneAccountTokens, {}, meta()));
    await parts.endOldSessions()
  }
  const expire = async (): Promise<void> => {
    while ((await findIdentitiesToExpire(store, clock.now(), 1)).length > 0) {
      if (!(await store.run(expireIdentities, {}, meta()))) break
    }
    while ((await findAccountsToExpire(store, clock.now(), 1)).length > 0) {
      if (!(await store.run(expireAccounts, {}, meta()))) return
    }
  }
  // Providers do not delay the deletion of rows: each has its own rounds.
  const all = [
    repeat(deleteRows, INTERVAL_MS, log),
    ...parts.workAtProviders.map((work) => repeat(work, INTERVAL_MS, log)),
    repeat(expire, EXPIRY_INTERVAL_MS, log),
    repeat(() => parts.revocationLists.update(), REVOCATION_INTERVAL_MS, log),
    repeat(() => parts.reportUnusedAccounts(), UNUSED_INTERVAL_MS, log),
    repeat(() => parts.revocationLists.recordEarlier(), RECORD_INTERVAL_MS, log),
  ]
  return {
    stop: async () => {
      await Promise.all(all.map(({ stop }) => stop()))
    },
  }
}

/** Runs the task every `intervalMs`, unless its last round still runs. */
function repeat(task: () => Promise<void>, intervalMs: number, log: Logger): { stop(): Promise<void> } {
  let running: Promise<void> | undefined
  let warnedAt = Number.NEGATIVE_INFINITY
  const round = async (): Promise<void> => {
    try {
      await task()
    } catch (error) {
      const now = performance.now()
      if (now - warnedAt >= INTERVAL_MS) {
        warnedAt = now
        log.warn({ err: error }, 'upkeep failed and is tried again')
      }
    }
    running = undefined
  }
  const timer = setInterval(() => {
    running ??= round()
  }, intervalMs)
  timer.unref()
  return {
    stop: async () => {
      clearInterval(timer)
      await running
    },
  }
}
