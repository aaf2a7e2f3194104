import { isDeepStrictEqual } from 'node:util'
import { isSecurityMember } from '@countersign/contract/resource'
import type { ControllerClient } from '@countersign/sdk'
import { CliError, EXIT } from '../cli-error.ts'
import { type Members, mapReferences } from '../resources/references.ts'
import type { ResourceKind } from '../resources/resource-kind.ts'
import { describeWriter, findTrust } from '../resources/trust.ts'
import { KINDS, type State } from './named-state.ts'
import type { Step } from './plan.ts'

/**
 * Carries out the steps in order and calls `onStep` after each. Signers and policies can reference each other: a reference to an item that is
 * created later is set at the end. Stops at the first error; completed steps are kept, and another run continues.
 */
export async function applyPlan(
  client: ControllerClient,
  steps: readonly Step[],
  state: State,
  onStep: (step: Step, id: string) => void,
): Promise<void> {
  const ids = new Map(
    KINDS.map((kind) => [kind, new Map((state.get(kind) ?? []).map(({ name, id }) => [String(name), id]))]),
  )
  const isId = (to: ResourceKind, text: string) => state.get(to)?.some(({ id }) => id === text) === true
  // An item can be named like the id of another one.
  const find = (text: string, to: ResourceKind) => (isId(to, text) ? text : ids.get(to)?.get(text))
  const deferred: (() => Promise<void>)[] = []
  for (const step of steps) {
    const { kind, name, existing, members, version } = step
    const { resolvable, unresolved } = split(kind, members, find)
    const collection = kind.open(client)
    const isWritten = !existing || Object.keys(resolvable).length > 0
    let id = existing?.id
    if (id === undefined) {
      id = await collection.create(resolvable)
      ids.get(kind)?.set(name, id)
    } else if (isWritten) await collection.patch(id, resolvable, { ifMatch: version })
    const itemId = id
    if (Object.keys(unresolved).length > 0) {
      deferred.push(async () => {
        const references = mapReferences(
          kind,
          unresolved,
          (text, to) => find(text, to) ?? failUnknown(kind, name, text),
        )
        const ifMatch = isWritten ? await getWrittenVersion(client, step, itemId, resolvable) : version
        await collection.patch(itemId, references, { ifMatch })
      })
    }
    onStep(step, itemId)
  }
  for (const finish of deferred) await finish()
}

/**
 * The version of an item that this run has written already; undefined for items that need no trust. Throws when another caller has written
 * its security members since: the next write of an administrator would trust them.
 */
async function getWrittenVersion(
  client: ControllerClient,
  { kind, name, existing }: Step,
  id: string,
  written: Members,
): Promise<string | undefined> {
  if (!kind.trustMembers) return undefined
  const [{ item, version }, caller] = await Promise.all([kind.open(client).getVersioned(id), client.currentIdentity()])
  const trust = findTrust(item)
  const wroteSecurity = !existing || Object.keys(written).some(isSecurityMember)
  if (wroteSecurity ? trust?.writtenBy?.id === caller.id : isDeepStrictEqual(trust, findTrust(existing))) return version
  throw new CliError(`the ${kind.singular} "${name}" has been changed in the meantime, by ${describeWriter(item)}`, {
    hint: 'review it, and apply the file again',
    exitCode: EXIT.conflict,
  })
}

/** Splits top-level members by whether all their references can be resolved now. */
function split(kind: ResourceKind, members: Members, find: (text: string, to: ResourceKind) => string | undefined) {
  const [resolvable, unresolved]: [Members, Members] = [{}, {}]
  for (const [member, value] of Object.entries(members)) {
    let isResolved = true
    const resolved = mapReferences(kind, { [member]: value }, (text, to) => {
      const id = find(text, to)
      if (id === undefined) isResolved = false
      return id ?? text
    })
    if (isResolved) Object.assign(resolvable, resolved)
    else unresolved[member] = value
  }
  return { resolvable, unresolved }
}

function failUnknown(kind: ResourceKind, name: string, reference: string): never {
  throw new CliError(`the ${kind.singular} "${name}" references "${reference}", which does not exist`, {
    hint: 'add it to the file, or correct the name',
    exitCode: EXIT.notFound,
  })
}
