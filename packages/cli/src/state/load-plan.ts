import type { ControllerClient } from '@countersign/sdk'
import type { Members } from '../resources/references.ts'
import type { Item, ResourceKind } from '../resources/resource-kind.ts'
import { loadState, type State } from './named-state.ts'
import { buildPlan, type Step } from './plan.ts'

/**
 * Loads the existing items and builds the plan. The items that it updates are read again with their versions, so that the plan holds for
 * exactly these versions.
 */
export async function loadPlan(
  client: ControllerClient,
  desired: ReadonlyMap<ResourceKind, readonly Members[]>,
): Promise<{ readonly plan: Step[]; readonly state: State }> {
  const listed = await loadState(client)
  const read = new Map<string, { readonly item: Item; readonly version: string | undefined }>()
  for (const { kind, existing } of buildPlan(desired, listed)) {
    if (existing) read.set(existing.id, await kind.open(client).getVersioned(existing.id))
  }
  const state = new Map(
    [...listed].map(([kind, items]) => [kind, items.map((item) => read.get(item.id)?.item ?? item)]),
  )
  const plan = buildPlan(desired, state).map((step) => ({
    ...step,
    version: read.get(step.existing?.id ?? '')?.version,
  }))
  return { plan, state }
}
