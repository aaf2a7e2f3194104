import { SINKS } from '../resources/kinds.ts'
import { listReferenced } from '../resources/references.ts'
import type { Item, ResourceDescription } from '../resources/resource-kind.ts'
import { loadState, type State } from './named-state.ts'
import { buildPlan, type Desired, type Step } from './plan.ts'
import { type CallerIds, checkPruning, planPruning } from './prune.ts'
import { type Clients, isHosted, KINDS, openCollection } from './state-kinds.ts'

interface PlanOptions {
  /** Whether items that the file does not contain are deleted. */
  readonly isPruning?: boolean
}

interface LoadedPlan {
  readonly plan: readonly Step[]
  readonly state: State
  /** Items that are not in the file and are not deleted, with the reason. */
  readonly kept: readonly string[]
}

/** The kinds whose items a plan for the file needs: those of the file, those that they reference, and for deletions those that reference them. */
export function listNeededKinds(desired: Desired, { isPruning = false }: PlanOptions = {}): ResourceDescription[] {
  // Only administrators read sinks; others apply files without any.
  const isNamed = (kind: ResourceDescription) =>
    desired.has(kind) && (kind !== SINKS || isPruning || (desired.get(kind)?.length ?? 0) > 0)
  return KINDS.filter(
    (kind) =>
      isNamed(kind) ||
      KINDS.some((other) => isNamed(other) && listReferenced(other).includes(kind)) ||
      (isPruning && listReferenced(kind).some(isNamed)),
  )
}

/**
 * Loads the existing items and builds the plan. The items that it changes are read again with their versions, so that the plan holds for
 * exactly these versions.
 */
export async function loadPlan(
  clients: Clients,
  desired: Desired,
  { isPruning = false }: PlanOptions = {},
): Promise<LoadedPlan> {
  const listed = await loadState(clients, listNeededKinds(desired, { isPruning }))
  const caller = isPruning ? await loadCaller(clients, desired) : undefined
  const build = (state: State) => {
    const pruning = caller ? planPruning(desired, state, caller) : { steps: [], kept: [] }
    return { plan: [...buildPlan(desired, state), ...pruning.steps], kept: pruning.kept }
  }
  const read = new Map<string, { readonly item: Item; readonly version: string | undefined }>()
  for (const { kind, existing } of build(listed).plan) {
    if (existing) read.set(existing.id, await openCollection(kind, clients).getVersioned(existing.id))
  }
  const state = new Map(
    [...listed].map(([kind, items]) => [kind, items.map((item) => read.get(item.id)?.item ?? item)]),
  )
  const { plan, kept } = build(state)
  checkPruning(plan, state)
  return { plan: plan.map((step) => ({ ...step, version: read.get(step.existing?.id ?? '')?.version })), state, kept }
}

async function loadCaller({ controller, hosted }: Clients, desired: Desired): Promise<CallerIds> {
  const { id: identityId } = await controller.currentIdentity()
  const asksHosted = hosted !== undefined && [...desired.keys()].some(isHosted)
  return { identityId, accountId: asksHosted ? (await hosted.self()).id : undefined }
}
