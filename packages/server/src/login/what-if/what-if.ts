import { setImmediate as nextTurn } from 'node:timers/promises'
import type { WhatIfReport } from '@countersign/contract/what-if'
import { enrollPolicyId } from '@countersign/core'
import type { Clock } from '../../platform/clock.ts'
import { FairQueue } from '../../platform/fair-queue.ts'
import { mapInTurns } from '../../platform/map-in-turns.ts'
import type { StoredIdentity } from '../../store/identity-row.ts'
import type { KeptLogin } from '../../store/kept-login.ts'
import { findIdentity } from '../../store/reads/identity-reads.ts'
import { loadLiveSessions } from '../../store/reads/live-session-reads.ts'
import type { StoredSigner } from '../../store/signer-row.ts'
import type { Store } from '../../store/store.ts'
import type { KeptLogins } from '../../token/kept-logins.ts'
import type { KnownPolicies } from '../../token/known-policies.ts'
import type { SignerDirectory } from '../../token/signer-directory.ts'
import { applyChanges, type ChangeContext, type ProposedChange } from './apply-changes.ts'
import { IdentityTable } from './identity-table.ts'
import {
  identityKeysOf,
  isUntouched,
  type JudgedLogin,
  judgeLogin,
  type Prediction,
  predictLogin,
} from './predict-login.ts'
import { type ProvisioningParts, predictProvisioning } from './predict-provisioning.ts'
import { isUntouchedSession, predictSession } from './predict-session.ts'
import { ReportBuilder, type Viewer } from './report-builder.ts'
import { World, type WorldChanges } from './world.ts'

interface WhatIfParts extends ProvisioningParts {
  readonly store: Pick<Store, 'db'>
  readonly clock: Clock
  readonly idleMs: number
  readonly directory: Pick<SignerDirectory, 'all' | 'find'>
  readonly policies: Pick<KnownPolicies, 'find'>
  readonly keptLogins: Pick<KeptLogins, 'load'>
}

interface Question {
  readonly changes: readonly ProposedChange[]
  /** How many kept logins are evaluated at most. */
  readonly limit: number
  readonly actor: ChangeContext['actor'] & Viewer
}

const SESSIONS_AT_ONCE = 500
/** Its response is not waited for longer: a rule may take milliseconds for each login and session. */
const MAX_PREDICTION_MS = 10_000
/** Further questions of one caller wait. */
const MAX_WAITING = 4

/**
 * Predicts what changes would do, from the claims of recent logins and from the live sessions. Changes nothing. One prediction runs at a time, in short turns, so
 * that logins do not wait for it.
 */
export class WhatIf {
  readonly #parts: WhatIfParts
  readonly #queue = new FairQueue({ atOnce: 1, maxWaiting: MAX_WAITING })

  constructor(parts: WhatIfParts) {
    this.#parts = parts
  }

  /** Throws what the save of a change would throw for its body, and SERVER_TOO_MANY_REQUESTS. */
  ask(question: Question): Promise<WhatIfReport> {
    return this.#queue.run(question.actor.id, () => this.#predict(question))
  }

  async #predict({ changes, limit, actor }: Question): Promise<WhatIfReport> {
    const { store, clock, directory, policies, keptLogins } = this.#parts
    const now = clock.now()
    const untilMs = performance.now() + MAX_PREDICTION_MS
    const proposed = await applyChanges(changes, {
      now,
      untilMs,
      actor,
      findSigner: (id) => directory.find(id),
      findPolicy: (id) => policies.find(id),
      findIdentity: (id) => findIdentity(store.db, id),
    })
    const identities = new IdentityTable(store, policies)
    const signers = new Map((await directory.all()).map((signer) => [signer.id, signer]))
    const worlds = {
      before: await World.build({ signers, identities }, NO_CHANGES, untilMs),
      after: await World.build({ signers, identities }, proposed, untilMs),
      untilMs,
    }
    await identities.loadPolicies(policyIdsIn(signers, proposed))
    const report = new ReportBuilder(actor)
    await identities.load({ ids: [...proposed.identities.keys()], externalIds: [] })
    for (const id of proposed.identities.keys()) {
      report.noteIdentity(worlds.before.findIdentity(id), worlds.after.findIdentity(id))
    }
    // Lists of the caller must not delay the only prediction that runs.
    const options = { caller: `what-if ${actor.id}`, firstSignerIds: [...proposed.signers.keys()], untilMs }
    for await (const logins of keptLogins.load(limit, options)) {
      await this.#predictLogins(logins, worlds, identities, report, now)
    }
    await this.#predictSessions(worlds, identities, report, now)
    return report.build()
  }

  async #predictLogins(
    logins: readonly KeptLogin[],
    { before, after, untilMs }: Worlds,
    identities: IdentityTable,
    report: ReportBuilder,
    now: number,
  ): Promise<void> {
    const judge = (login: KeptLogin) => [judgeLogin(before, login), judgeLogin(after, login)] as const
    const judged = await mapInTurns(logins, judge, { untilMs })
    const keys = judged.flat().flatMap(identityKeysOf)
    const claimsOf = (useExternalId: boolean) =>
      keys.flatMap((key) => (key.useExternalId === useExternalId ? [key.claim] : []))
    const kept = logins.flatMap(({ identityId }) => identityId ?? [])
    await identities.load({ ids: [...claimsOf(false), ...kept], externalIds: claimsOf(true) })
    const predict = ([was, would]: (typeof judged)[number]) => ({
      login: was.login,
      was: { world: before, prediction: predictLogin(before, was, now), judged: was },
      would: { world: after, prediction: predictLogin(after, would, now), judged: would },
    })
    const pairs = await mapInTurns(judged, predict, { untilMs })
    for (const { login, was, would } of pairs) {
      if (isUntouched(before, after, was.judged, would.judged)) {
        report.noteUntouched()
        continue
      }
      const known = login.identityId === null ? undefined : before.findIdentity(login.identityId)
      report.noteLogin(await this.#settle(was, now), await this.#settle(would, now), login, known)
    }
  }

  /** Asks the store whether an unknown subject would be enrolled. */
  async #settle(
    { world, prediction, judged }: Pending,
    now: number,
  ): Promise<Exclude<Prediction, { outcome: 'provisioned' }>> {
    if (prediction.outcome !== 'provisioned') return prediction
    return predictProvisioning(this.#parts, world, prediction, judged.login, now)
  }

  async #predictSessions(
    { before, after, untilMs }: Worlds,
    identities: IdentityTable,
    report: ReportBuilder,
    now: number,
  ) {
    const { store, idleMs } = this.#parts
    let afterId = ''
    for (;;) {
      await nextTurn()
      const sessions = await loadLiveSessions(store.db, { now, afterId, limit: SESSIONS_AT_ONCE })
      await identities.load({ ids: sessions.map(({ identityId }) => identityId), externalIds: [] })
      const predict = (session: (typeof sessions)[number]) => {
        const was = predictSession(before, session, { now, idleMs })
        if (was.isLive && isUntouchedSession(before, after, session)) return report.noteUntouched()
        const would = predictSession(after, session, { now, idleMs })
        const identity = before.findIdentity(session.identityId)
        const { signerId } = session
        const dependsOnClaims = identity !== undefined && hasOtherPolicy(before, after, identity)
        report.noteSession(was, would, { signerId, dependsOnClaims }, identity)
      }
      await mapInTurns(sessions, predict, { untilMs })
      const last = sessions.at(-1)
      if (!last || sessions.length < SESSIONS_AT_ONCE) return
      afterId = last.id
    }
  }
}

const NO_CHANGES: WorldChanges = { signers: new Map(), policies: new Map(), identities: new Map() }

interface Worlds {
  readonly before: World
  readonly after: World
  /** When the prediction fails for the time that it takes. */
  readonly untilMs: number
}

interface Pending {
  readonly world: World
  readonly prediction: Prediction
  readonly judged: JudgedLogin
}

/** Whether an identity has another policy in another world, or a changed one. */
function hasOtherPolicy(before: World, after: World, { id, authPolicyId }: StoredIdentity): boolean {
  const later = after.findIdentity(id)
  return later !== undefined && before.findPolicy(authPolicyId) !== after.findPolicy(later.authPolicyId)
}

/** The policies that no stored identity leads to. */
function policyIdsIn(
  signers: ReadonlyMap<string, StoredSigner>,
  { signers: changed, identities }: WorldChanges,
): string[] {
  const enrolling = [...signers.values(), ...changed.values()].flatMap((signer) =>
    signer ? [enrollPolicyId(signer)] : [],
  )
  const own = [...identities.values()].flatMap((identity: StoredIdentity | null) => identity?.authPolicyId ?? [])
  return [...enrolling, ...own]
}
