import type { ControllerClient } from '@countersign/sdk'
import { CliError, EXIT } from '../cli-error.ts'
import { type Members, mapReferences } from '../resources/references.ts'
import type { ResourceKind } from '../resources/resource-kind.ts'
import { KINDS, type State } from './named-state.ts'
import type { Step } from './plan.ts'

/**
 * Does what the plan says, in its order, and tells each step. Signers and policies may name each other: what names something that
 * is made later is set when that is there. Stops at the first refusal; what was done stays, and a further run goes on.
 */
export async function carryOut(
  client: ControllerClient,
  steps: readonly Step[],
  state: State,
  tell: (step: Step, id: string) => void,
): Promise<void> {
  const ids = new Map(
    KINDS.map((kind) => [kind, new Map((state.get(kind) ?? []).map(({ name, id }) => [String(name), id]))]),
  )
  const isId = (to: ResourceKind, text: string) => state.get(to)?.some(({ id }) => id === text) === true
  const find = (text: string, to: ResourceKind) => ids.get(to)?.get(text) ?? (isId(to, text) ? text : undefined)
  const later: (() => Promise<void>)[] = []
  for (const { kind, name, existing, members, ...step } of steps) {
    const { ready, waiting } = split(kind, members, find)
    const collection = kind.open(client)
    let id = existing?.id
    if (id === undefined) {
      id = await collection.create(ready)
      ids.get(kind)?.set(name, id)
    } else if (Object.keys(ready).length > 0) await collection.patch(id, ready)
    const made = id
    if (Object.keys(waiting).length > 0) {
      later.push(() =>
        collection.patch(
          made,
          mapReferences(kind, waiting, (text, to) => find(text, to) ?? unknown(kind, name, text)),
        ),
      )
    }
    tell({ kind, name, existing, members, ...step }, made)
  }
  for (const finish of later) await finish()
}

/** Top members whose references can be resolved now, and those that have to wait. */
function split(kind: ResourceKind, members: Members, find: (text: string, to: ResourceKind) => string | undefined) {
  const [ready, waiting]: [Members, Members] = [{}, {}]
  for (const [member, value] of Object.entries(members)) {
    let isResolved = true
    const resolved = mapReferences(kind, { [member]: value }, (text, to) => {
      const id = find(text, to)
      if (id === undefined) isResolved = false
      return id ?? text
    })
    if (isResolved) Object.assign(ready, resolved)
    else waiting[member] = value
  }
  return { ready, waiting }
}

function unknown(kind: ResourceKind, name: string, reference: string): never {
  throw new CliError(`the ${kind.singular} "${name}" names "${reference}", which is nowhere`, {
    hint: 'add it to the file, or correct the name',
    exitCode: EXIT.notFound,
  })
}
