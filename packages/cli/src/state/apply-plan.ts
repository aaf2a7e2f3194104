import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { isGroup, isOptionalInBody, isSecurityMember } from '@countersign/contract/resource'
import type { CountersignError } from '@countersign/sdk'
import { CliError, EXIT } from '../cli-error.ts'
import type { Reference } from '../resources/find-by-name-or-id.ts'
import { describeReference } from '../resources/get-item.ts'
import { IDENTITIES, POLICIES, SIGNERS } from '../resources/kinds.ts'
import { mergeMembers } from '../resources/merge-members.ts'
import { type Members, mapReferences } from '../resources/references.ts'
import type { Item, ResourceDescription } from '../resources/resource-kind.ts'
import { describeWriter, findTrust } from '../resources/trust.ts'
import { writeChanges } from '../resources/write-changes.ts'
import { isSdkError, toCliError } from '../to-cli-error.ts'
import { isDisabledIn, writeDisabled } from './disabled-state.ts'
import { findItem, type State, toNamed } from './named-state.ts'
import type { Step } from './plan.ts'
import { byActionOf, type Clients, createOnlyOf, KINDS, openCollection } from './state-kinds.ts'
import { without } from './without.ts'

const BAD_REQUEST = 400
const UNAUTHORIZED = 401
const PRECONDITION_FAILED = 412

/**
 * Carries out the steps and calls `onStep` after each. Signers and policies can reference each other: a reference to an item that is created later
 * is set at the end. A step that is refused because of an item that a later step changes or deletes, such as one with the same unique value, is
 * repeated after that one. Stops at the first other error; completed steps are kept, and another run continues.
 */
export async function applyPlan(
  clients: Clients,
  steps: readonly Step[],
  state: State,
  onStep: (step: Step, id: string) => void,
): Promise<void> {
  const run = new PlanRun(clients, steps, state)
  await run.breakDeletedCycles()
  let waiting = steps
  while (waiting.length > 0) {
    const conflicting: Step[] = []
    for (const [index, step] of waiting.entries()) {
      const others = [...conflicting, ...waiting.slice(index + 1)]
      const id = await run.tryStep(step, others)
      if (id === undefined) conflicting.push(step)
      else onStep(step, id)
    }
    if (conflicting.length === waiting.length) await run.park(conflicting)
    waiting = conflicting
  }
  await run.finish()
}

/** Members whose values only one item can have, and a value that makes room for a moment when two items exchange theirs. */
const UNIQUE: readonly {
  readonly kind: ResourceDescription
  readonly members: readonly string[]
  makeRoom(): Members
}[] = [
  { kind: IDENTITIES, members: ['externalId'], makeRoom: () => ({ externalId: '' }) },
  {
    kind: SIGNERS,
    members: ['issuer', 'audience'],
    makeRoom: () => ({ audience: `countersign-apply-${randomUUID()}` }),
  },
]

/** What these can do depends on each other: signers enroll identities into policies, which must allow it. */
const FITTING: readonly ResourceDescription[] = [SIGNERS, POLICIES]

class PlanRun {
  readonly #clients: Clients
  readonly #steps: readonly Step[]
  readonly #state: State
  /** Ids by name, also of new items. */
  readonly #ids: ReadonlyMap<ResourceDescription, Map<string, string>>
  readonly #deferred: (() => Promise<void>)[] = []
  /** Existing items that this run has made room with. */
  readonly #parked = new Set<Item>()

  constructor(clients: Clients, steps: readonly Step[], state: State) {
    this.#clients = clients
    this.#steps = steps
    this.#state = state
    this.#ids = new Map(
      KINDS.map((kind) => [kind, new Map((state.get(kind) ?? []).map(({ name, id }) => [String(name), id]))]),
    )
  }

  /** Returns the id of the item; undefined when the step has to wait for one of the `others`. */
  async tryStep(step: Step, others: readonly Step[]): Promise<string | undefined> {
    try {
      return step.action === 'delete' ? await this.#delete(step) : await this.#write(step, others.length > 0)
    } catch (error) {
      if (isSdkError(error) && this.#mayPass(error, step, others)) return undefined
      throw nameItem(step, error)
    }
  }

  /** Whether a refused step may be accepted after others: they give up its value, or change an item whose members have to fit to its own. */
  #mayPass(error: CountersignError, step: Step, others: readonly Step[]): boolean {
    if (error.status === PRECONDITION_FAILED) return false
    if (error.isConflict) return others.some(({ kind, existing }) => kind === step.kind && existing !== undefined)
    if (error.status !== BAD_REQUEST || !FITTING.includes(step.kind)) return false
    return others.some((other) => this.#references(step, other) || this.#references(other, step))
  }

  /** Whether an item references another one after the plan. */
  #references({ kind, existing, members }: Step, other: Step): boolean {
    let isFound = false
    const after = mergeMembers(existing ? toNamed(kind, existing, this.#state) : {}, members)
    mapReferences(kind, after, (reference, to) => {
      isFound ||= to === other.kind && [other.name, other.existing?.id].includes(describeReference(reference))
      return reference
    })
    return isFound
  }

  /** Makes room for one of the steps that wait for each other. Throws the error of the first when that is not possible. */
  async park(waiting: readonly Step[]): Promise<void> {
    for (const { kind, existing } of waiting) {
      const row = UNIQUE.find((each) => each.kind === kind)
      if (!row || !existing || this.#parked.has(existing)) continue
      const takes = (other: Step) =>
        other.kind === kind &&
        other.existing !== existing &&
        row.members.every((member) => ({ ...other.existing, ...other.members })[member] === existing[member])
      if (!waiting.some(takes)) continue
      await openCollection(kind, this.#clients).patch(existing.id, row.makeRoom())
      this.#parked.add(existing)
      return
    }
    const [first] = waiting
    if (first) await this.tryStep(first, [])
  }

  /**
   * A signer and a policy that are both deleted can reference each other. A signer without a policy would enroll with the default one, so it is
   * disabled first.
   */
  async breakDeletedCycles(): Promise<void> {
    const deleted = this.#steps.filter(({ action }) => action === 'delete')
    for (const { kind, existing } of deleted) {
      if (kind !== SIGNERS || !existing) continue
      const policy = existing.enrollAuthPolicyId
      if (!deleted.some((step) => step.kind === POLICIES && step.existing?.id === policy)) continue
      await openCollection(kind, this.#clients).patch(existing.id, { enabled: false, enrollAuthPolicyId: '' })
      this.#parked.add(existing)
    }
  }

  async finish(): Promise<void> {
    for (const finish of this.#deferred) await finish()
  }

  async #delete({ kind, existing, version }: Step): Promise<string> {
    const id = existing?.id ?? ''
    const ifMatch = existing && this.#parked.has(existing) ? undefined : version
    await openCollection(kind, this.#clients).delete(id, { ifMatch })
    return id
  }

  async #write(step: Step, mayWait: boolean): Promise<string | undefined> {
    const { kind, name, existing } = step
    const { resolvable, unresolved } = this.#split(kind, without(step.members, byActionOf(kind)))
    // The item that a required member references waits itself.
    if (!existing && mayWait && Object.keys(unresolved).some((member) => isRequired(kind, member))) return undefined
    const isWritten = !existing || Object.keys(resolvable).length > 0
    const id = existing ? existing.id : await this.#create(step, resolvable)
    if (existing && isWritten) await this.#update(step, existing, resolvable)
    if (existing && kind === IDENTITIES) await writeDisabled(this.#clients.controller, id, step.members)
    if (Object.keys(unresolved).length > 0) {
      this.#deferred.push(() => this.#writeDeferred(step, id, unresolved, isWritten ? resolvable : undefined))
    }
    this.#ids.get(kind)?.set(name, id)
    return id
  }

  /** An identity that is disabled from the beginning gets its external id last: a token that names it could log in before. */
  async #create({ kind, members }: Step, body: Members): Promise<string> {
    const collection = openCollection(kind, this.#clients)
    if (kind !== IDENTITIES || !isDisabledIn(members)) return collection.create(body)
    const { externalId, ...others } = body
    const id = await collection.create(others)
    await writeDisabled(this.#clients.controller, id, members)
    if (externalId !== undefined && externalId !== null) await collection.patch(id, { externalId })
    return id
  }

  /** A step before this one can have written the item too, as a signer that is changed writes attributes of its identities. */
  async #update(step: Step, existing: Item, changes: Members): Promise<void> {
    const { kind, version } = step
    const collection = openCollection(kind, this.#clients)
    const write = (ifMatch: string | undefined) =>
      writeChanges(kind, collection, { item: existing, version: ifMatch }, without(changes, createOnlyOf(kind)))
    try {
      await write(this.#parked.has(existing) ? undefined : version)
    } catch (error) {
      if (!isSdkError(error) || error.status !== PRECONDITION_FAILED) throw error
      const { item, version: current } = await collection.getVersioned(existing.id)
      const isAsPlanned =
        isDeepStrictEqual(toNamed(kind, item, this.#state), toNamed(kind, existing, this.#state)) &&
        isDeepStrictEqual(findTrust(item), findTrust(existing))
      if (!isAsPlanned) throw error
      await write(current)
    }
  }

  async #writeDeferred(step: Step, id: string, unresolved: Members, written: Members | undefined): Promise<void> {
    const { kind } = step
    const references = mapReferences(kind, unresolved, (reference, to) => this.#find(reference, to) ?? reference)
    const ifMatch = written ? await this.#getWrittenVersion(step, id, written) : step.version
    await openCollection(kind, this.#clients).patch(id, references, { ifMatch })
  }

  /**
   * The version of an item that this run has written already; undefined for items that need no trust. Throws when another caller has written
   * its security members since: the next write of an administrator would trust them.
   */
  async #getWrittenVersion({ kind, name, existing }: Step, id: string, written: Members): Promise<string | undefined> {
    if (!kind.trustMembers) return undefined
    const [{ item, version }, caller] = await Promise.all([
      openCollection(kind, this.#clients).getVersioned(id),
      this.#clients.controller.currentIdentity(),
    ])
    const trust = findTrust(item)
    const wroteSecurity = !existing || Object.keys(written).some(isSecurityMember)
    if (wroteSecurity ? trust?.writtenBy?.id === caller.id : isDeepStrictEqual(trust, findTrust(existing)))
      return version
    throw new CliError(`the ${kind.singular} "${name}" has been changed in the meantime, by ${describeWriter(item)}`, {
      hint: 'review it, and apply the file again',
      exitCode: EXIT.conflict,
    })
  }

  /** The id that a reference means, if the item exists by now. */
  #find(reference: Reference, to: ResourceDescription): string | undefined {
    const existing = findItem(this.#state.get(to) ?? [], reference)
    if (existing) return existing.id
    if (typeof reference === 'string') return this.#ids.get(to)?.get(reference)
    return 'name' in reference ? this.#ids.get(to)?.get(reference.name) : undefined
  }

  /** Splits top-level members by whether all their references can be resolved now. */
  #split(kind: ResourceDescription, members: Members) {
    const [resolvable, unresolved]: [Members, Members] = [{}, {}]
    for (const [member, value] of Object.entries(members)) {
      let isResolved = true
      const resolved = mapReferences(kind, { [member]: value }, (reference, to) => {
        const id = this.#find(reference, to)
        if (id === undefined) isResolved = false
        return id ?? reference
      })
      if (isResolved) Object.assign(resolvable, resolved)
      else unresolved[member] = value
    }
    return { resolvable, unresolved }
  }
}

function isRequired({ members }: ResourceDescription, name: string): boolean {
  const member = members[name]
  return member !== undefined && (isGroup(member) || !isOptionalInBody(member))
}

/** The error with the item that it is about. A 401 is explained elsewhere: it is about the caller. */
function nameItem({ kind, name }: Step, error: unknown): unknown {
  if (!isSdkError(error) || error.status === UNAUTHORIZED || error.status === 0) return error
  const { messages, hint, exitCode } = toCliError(error) as CliError
  return new CliError(`${kind.singular} ${name}: ${messages.join('; ')}`, { hint, exitCode, cause: error })
}
