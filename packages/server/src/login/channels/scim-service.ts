import { ERRORS } from '@countersign/contract/error-codes'
import {
  AppError,
  newId,
  SCIM_CAUSE,
  type ScimGroupBody,
  type ScimGroupChange,
  type ScimUserBody,
} from '@countersign/core'
import type { AttemptLimits } from '../../limits/attempt-limits.ts'
import type { ScimOutcome } from '../../operations/scim/change-account.ts'
import { createScimGroup, deleteScimGroup, updateScimGroup } from '../../operations/scim/scim-groups.ts'
import { createScimUser, deleteScimUser, type UserUpdate, updateScimUser } from '../../operations/scim/scim-users.ts'
import type { Clock } from '../../platform/clock.ts'
import { SYSTEM_ACTOR } from '../../store/actor.ts'
import type { Store } from '../../store/store.ts'
import type { ChannelReporter, ChannelRequest } from './channel-reporter.ts'
import type { ScimCaller } from './scim-callers.ts'

interface ScimServiceParts {
  readonly store: Pick<Store, 'run'>
  readonly clock: Clock
  readonly reporter: Pick<ChannelReporter, 'applied'>
  readonly limits: Pick<AttemptLimits, 'scim'>
}

/** So many members, or operations on a user, cost as much of the limit as a request. */
const PER_REQUEST = 50

const DEPARTURE: UserUpdate = { kind: 'patch', changes: [{ kind: 'active', value: false }] }
const REFUSALS: ReadonlySet<number> = new Set([400, 403, 409])

/** Whether the contents of a request were refused, not the user or version that it names. */
function isRefusal(error: unknown): boolean {
  return error instanceof AppError && REFUSALS.has(ERRORS[error.code].status)
}

/** A SCIM request whose token is known. */
export interface ScimRequest extends ChannelRequest {
  readonly caller: ScimCaller
  readonly ifMatch: string | undefined
}

const KEPT = 'the access of the identity was ended by others as well: only an administrator deletes it'

/** Changes users and groups for identity providers, and reports what ends or gives access. */
export class ScimService {
  readonly #parts: ScimServiceParts

  constructor(parts: ScimServiceParts) {
    this.#parts = parts
  }

  async createUser(request: ScimRequest, body: ScimUserBody): Promise<string> {
    const id = newId()
    const outcome = await this.#parts.store.run(
      createScimUser,
      { ...sourceOf(request), id, ...body },
      this.#meta(request),
    )
    this.#report(request, id, outcome)
    return id
  }

  /** A refused request that says `active: false` ends the access nevertheless: nothing else in it can keep a person who left. */
  async updateUser(
    request: ScimRequest,
    id: string,
    { read, isDeparture }: { readonly read: () => UserUpdate; readonly isDeparture: () => boolean },
  ): Promise<void> {
    try {
      await this.#update(request, id, read())
    } catch (error) {
      if (isRefusal(error) && isDeparture()) await this.#update(request, id, DEPARTURE)
      throw error
    }
  }

  async #update(request: ScimRequest, id: string, update: UserUpdate): Promise<void> {
    if (update.kind === 'patch') this.#charge(request, update.changes.length)
    const args = { ...sourceOf(request), id, ifMatch: request.ifMatch, update }
    this.#report(request, id, await this.#parts.store.run(updateScimUser, args, this.#meta(request)))
  }

  /** Fails with FORBIDDEN for an identity that is not deleted. The provider has ended its access nevertheless. */
  async deleteUser(request: ScimRequest, id: string): Promise<void> {
    const args = { ...sourceOf(request), id, ifMatch: request.ifMatch }
    const outcome = await this.#parts.store.run(deleteScimUser, args, this.#meta(request))
    this.#report(request, id, outcome)
    if (outcome.isKept) throw new AppError('FORBIDDEN', { message: KEPT })
  }

  async createGroup(request: ScimRequest, body: ScimGroupBody): Promise<string> {
    const id = newId()
    this.#charge(request, body.members?.length ?? 0)
    await this.#parts.store.run(createScimGroup, { ...sourceOf(request), id, ...body }, this.#largeMeta(request))
    return id
  }

  async updateGroup(request: ScimRequest, id: string, changes: readonly ScimGroupChange[]): Promise<void> {
    const args = { ...sourceOf(request), id, ifMatch: request.ifMatch, changes }
    this.#charge(request, changes.flatMap((change) => (change.kind === 'members' ? change.ids : [])).length)
    this.#chargeDone(request, await this.#parts.store.run(updateScimGroup, args, this.#largeMeta(request)))
  }

  async deleteGroup(request: ScimRequest, id: string): Promise<void> {
    const args = { ...sourceOf(request), id, ifMatch: request.ifMatch }
    this.#chargeDone(request, await this.#parts.store.run(deleteScimGroup, args, this.#largeMeta(request)))
  }

  /** Throws `TooManyRequests` when the provider caused more work than its signer may. */
  #charge({ caller }: ScimRequest, count: number): void {
    if (count > 0) this.#parts.limits.scim.charge(caller.signerId, count / PER_REQUEST)
  }

  /** Counts members that the request did not name. How many there are is known afterwards. */
  #chargeDone({ caller }: ScimRequest, count: number): void {
    if (count > 0) this.#parts.limits.scim.spend(caller.signerId, count / PER_REQUEST)
  }

  #meta({ caller, source }: ScimRequest) {
    const author = { authorName: caller.signerName, ...source }
    return { actorId: SYSTEM_ACTOR.id, signerId: caller.signerId, now: this.#parts.clock.now(), source: author }
  }

  #largeMeta(request: ScimRequest) {
    return { ...this.#meta(request), isLarge: true }
  }

  /** Entity changes are reported by the store. */
  #report(request: ScimRequest, identityId: string, { action, sessions }: ScimOutcome): void {
    if (action === 'log') return
    const { signerId: id, signerName: name } = request.caller
    const message = { type: SCIM_CAUSE, result: 'applied', action, sessions, identityIds: [identityId] } as const
    this.#parts.reporter.applied({ id, name }, message, request)
  }
}

function sourceOf({ caller: { signerId, tokenId } }: ScimRequest) {
  return { signerId, tokenId }
}
