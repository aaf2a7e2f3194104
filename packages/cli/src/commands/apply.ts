import { EXIT, usageError } from '../cli-error.ts'
import type { Call, Command } from '../command.ts'
import { getSourceName, loadTextArgument } from '../files/load-text-file.ts'
import { getFormat, printData } from '../output/print-result.ts'
import { parseMembers } from '../resources/field-flags.ts'
import {
  confirmTrustingWrite,
  type ItemWrite,
  listTrustingWrites,
  printTrustingWrite,
} from '../resources/trust-by-write.ts'
import { loadWarnings, printWarnings } from '../resources/warnings.ts'
import { CALL_FLAGS, YES_FLAG } from '../session/call-flags.ts'
import { confirm } from '../session/confirm.ts'
import { withController } from '../session/with-controller.ts'
import { applyPlan } from '../state/apply-plan.ts'
import { describeRights } from '../state/describe-rights.ts'
import { loadPlan } from '../state/load-plan.ts'
import { parseDesired, type Step } from '../state/plan.ts'
import { splitControllerOwned } from '../state/split-controller-owned.ts'

type Written = Pick<Step, 'kind' | 'name'> & { readonly id: string }

/** `countersign apply`: create and update signers, policies and identities from a file. */
export const apply: Command = {
  args: [],
  flags: [
    ...CALL_FLAGS,
    { name: 'file', short: 'f', value: 'FILE', description: 'The file with the desired state, - for stdin' },
    { name: 'dry-run', description: 'Show the plan only' },
    YES_FLAG,
  ],
  details: [
    'Shows the plan, asks, and carries it out. A second run changes nothing. Members that the file does not name are kept,',
    'and nothing is ever deleted. Identities of API accounts are skipped: each controller creates its own. An untrusted signer is',
    'not changed with --yes, because that would trust it. Nothing is written to an item that has been changed in the meantime.',
  ],
  examples: [
    { command: 'countersign apply -f state.yaml', description: 'show the plan, ask, apply it' },
    { command: 'countersign apply -f state.yaml --yes', description: 'for a pipeline' },
  ],
  async run(call) {
    const { file } = call.flags
    if (typeof file !== 'string')
      throw usageError('"countersign apply" needs a file', 'write countersign apply -f FILE')
    const source = getSourceName(file)
    const desired = parseDesired(await parseMembers(await loadTextArgument(call, file), source), source)
    const { controllerOwned, rest } = splitControllerOwned(desired, 'name')
    for (const [{ singular }, items] of controllerOwned) {
      for (const { name } of items)
        call.terminal.note(`skipped: ${singular} ${String(name)}, which the controller manages itself`)
    }
    const { plan, state, trusting } = await withController(call, async (client) => {
      const loaded = await loadPlan(client, rest)
      return { ...loaded, trusting: await listTrustingWrites(client, toItemWrites(loaded.plan)) }
    })
    await printPlan(call, plan)
    if (plan.length === 0 || call.flags['dry-run'] === true) {
      for (const write of trusting) printTrustingWrite(call, write)
      return EXIT.ok
    }
    for (const write of trusting) await confirmTrustingWrite(call, write)
    await confirm(call, 'Apply it?')
    const written: Written[] = []
    await withController(call, async (client) => {
      await applyPlan(client, plan, state, ({ kind, name }, id) => {
        written.push({ kind, name, id })
        call.terminal.note(`${written.length}/${plan.length} ${kind.singular} ${name}`)
      })
      for (const { kind, name, id } of written)
        printWarnings(call, kind, name, await loadWarnings(kind, kind.open(client), id))
    })
    if (getFormat(call) === 'table') call.terminal.out(`done: ${written.length} of ${plan.length}`)
    return EXIT.ok
  },
}

function toItemWrites(plan: readonly Step[]): ItemWrite[] {
  return plan.flatMap(({ kind, existing: item, members }) => (item ? [{ kind, item, members }] : []))
}

async function printPlan(call: Call, plan: readonly Step[]): Promise<void> {
  if (getFormat(call) !== 'table') {
    const steps = plan.map((step) => {
      const rights = Object.fromEntries(describeRights(step))
      return {
        action: step.existing ? 'update' : 'create',
        kind: step.kind.singular,
        name: step.name,
        members: Object.keys(step.members),
        ...(Object.keys(rights).length > 0 && { rights }),
      }
    })
    return printData(call, steps)
  }
  if (plan.length === 0) call.terminal.out('nothing to do')
  for (const step of plan) {
    const { kind, name, existing } = step
    if (existing) call.terminal.out([['yellow', '~ '], `${kind.singular} ${name}: ${describeMembers(step)}`])
    else call.terminal.out([['green', '+ '], `${kind.singular} ${name}`])
  }
}

function describeMembers(step: Step): string {
  const rights = describeRights(step)
  return Object.keys(step.members)
    .map((member) => (rights.has(member) ? `${member} (${rights.get(member)})` : member))
    .join(', ')
}
