import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { beginPlannedRotation } from '../operations/api-account/begin-planned-rotation.ts'
import { pickUpCredentials } from '../operations/api-account/pick-up-credentials.ts'
import { rotateApiAccount } from '../operations/api-account/rotate-api-account.ts'
import type { Clock } from '../platform/clock.ts'
import type { Sealing } from '../platform/keys/sealing.ts'
import { SYSTEM_ACTOR } from '../store/actor.ts'
import { accountSettings } from '../store/hosted-rows.ts'
import type { OperationMeta } from '../store/operation-meta.ts'
import type { OwnedKey } from '../store/owned-key.ts'
import { findAccount } from '../store/reads/account-reads.ts'
import { listDueRotations } from '../store/reads/active-account-reads.ts'
import type { Store } from '../store/store.ts'
import type { Credentials } from './account-clients.ts'
import type { AccountJobs, JobResult } from './account-jobs.ts'
import type { ClientBindings } from './client-bindings.ts'
import { OrganizationRounds, type RoundLimits } from './organization-rounds.ts'

interface PlannedRotationsParts {
  readonly store: Store
  readonly clock: Clock
  readonly log: Logger
  readonly sealing: Sealing
  readonly accountJobs: AccountJobs
  readonly clientBindings: Pick<ClientBindings, 'ofOrganization'>
  readonly roundLimits?: RoundLimits
}

const HOUR_MS = 3_600_000
const MAX_ROTATIONS_PER_ORGANIZATION = 10
const useOf = (accountId: string): string => `credentials ${accountId}`

/**
 * Rotates the credentials of accounts by their plans. No caller waits for the new ones, so they are sealed until they are picked up, for as long as
 * the old ones are valid.
 */
export class PlannedRotations {
  readonly #parts: PlannedRotationsParts
  readonly #rounds: OrganizationRounds

  constructor(parts: PlannedRotationsParts) {
    this.#parts = parts
    this.#rounds = new OrganizationRounds(parts.roundLimits)
  }

  /** Rotates what is due. */
  async runDue(): Promise<void> {
    const { store, clock, log } = this.#parts
    const due = await listDueRotations(store, clock.now(), MAX_ROTATIONS_PER_ORGANIZATION)
    await this.#rounds.run(due, async ({ id, organizationId }, signal) => {
      try {
        await this.#rotate({ id, organizationId }, signal)
        return true
      } catch (error) {
        log.error({ accountId: id, organizationId, err: error }, 'a planned rotation failed and is tried again')
        return false
      }
    })
  }

  /** Returns credentials that wait, once. Throws NOT_FOUND when there are none, and FORBIDDEN for other accounts than administrators. */
  async pickUp({ id, organizationId }: OwnedKey, meta: OperationMeta): Promise<Credentials> {
    const { store, sealing } = this.#parts
    const sealed = await store.run(pickUpCredentials, { id, organizationId }, meta)
    return JSON.parse(sealing.open(sealed, useOf(id))) as Credentials
  }

  async #rotate({ id, organizationId }: OwnedKey, signal: AbortSignal): Promise<void> {
    const { store, sealing, accountJobs, clientBindings, clock, log } = this.#parts
    const found = await findAccount(store.db, organizationId, id)
    const { rotation } = found ? accountSettings(found.account) : { rotation: null }
    if (!found || rotation === null) return
    const { account, provider } = found
    const meta = () => ({ actorId: SYSTEM_ACTOR.id, now: clock.now() })
    const overlapMs = rotation.overlapHours * HOUR_MS
    const input = { overlapMs }
    const jobId = randomUUID()
    const key = { id, organizationId }
    if (!(await store.run(beginPlannedRotation, { ...key, jobId, input: JSON.stringify(input) }, meta()))) return
    const plan = { provider, accountId: id, accountName: account.name, kind: 'rotate', input } as const
    const storeResult = async (result: JobResult): Promise<void> => {
      const bind = await clientBindings.ofOrganization(organizationId)
      const binding = await bind(provider, { clientId: undefined, proofToken: undefined })
      const credential = 'client' in result ? { client: result.client, binding } : result
      const sealedCredentials = sealing.seal(JSON.stringify(result.credentials), useOf(id))
      await store.run(rotateApiAccount, { ...key, credential, overlapMs, jobId, sealedCredentials }, meta())
    }
    await accountJobs.createFor(jobId, plan, storeResult, signal)
    log.info(
      { accountId: id, organizationId },
      'the credentials of an API account were rotated and wait for being picked up',
    )
  }
}
