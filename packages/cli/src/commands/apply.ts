import { join } from 'node:path'
import { EXIT, usageError } from '../cli-error.ts'
import type { Call, Command } from '../command.ts'
import { fileNameFor } from '../files/file-name-for.ts'
import { getSourceName, loadTextArgument } from '../files/load-text-file.ts'
import { withSecretFiles } from '../files/secret-files.ts'
import { getFormat, printData } from '../output/print-result.ts'
import { parseMembers } from '../resources/field-flags.ts'
import { ACCOUNTS } from '../resources/hosted-kinds.ts'
import {
  confirmTrustingWrite,
  type ItemWrite,
  listTrustingWrites,
  printTrustingWrite,
} from '../resources/trust-by-write.ts'
import { loadWarnings, printWarnings } from '../resources/warnings.ts'
import { CALL_FLAGS, LOCK_OUT_FLAG, YES_FLAG } from '../session/call-flags.ts'
import { confirm } from '../session/confirm.ts'
import { applyPlan } from '../state/apply-plan.ts'
import { describeChanges, toPlanData } from '../state/describe-plan.ts'
import type { AccountOptions } from '../state/hosted-collections.ts'
import { listNeededKinds, loadPlan } from '../state/load-plan.ts'
import type { State } from '../state/named-state.ts'
import { type Desired, parseDesired, type Step } from '../state/plan.ts'
import { splitControllerOwned } from '../state/split-controller-owned.ts'
import { openCollection } from '../state/state-kinds.ts'
import { withClients } from '../state/with-clients.ts'

type Written = Pick<Step, 'action' | 'kind' | 'name'> & { readonly id: string }

/** `countersign apply`: create, update and delete what a file describes. */
export const apply: Command = {
  args: [],
  flags: [
    ...CALL_FLAGS,
    { name: 'file', short: 'f', value: 'FILE', description: 'The file with the desired state, - for stdin' },
    { name: 'dry-run', description: 'Show the plan only' },
    { name: 'prune', description: 'Delete what the file does not contain, of the kinds that it names' },
    { name: 'out', value: 'DIR', description: 'Write the credentials of new API accounts to files in this folder [.]' },
    {
      name: 'confirm-broad',
      description:
        'Accept conditions of API accounts that any repository, project or namespace at the issuer would meet',
    },
    LOCK_OUT_FLAG,
    YES_FLAG,
  ],
  details: [
    'Shows the plan with old and new values, asks, and carries it out. A second run changes nothing. Members that the file does',
    'not name are kept; null clears a member. Nothing is deleted without --prune, which never deletes you, the default',
    'administrator and the default policy. Identities of API accounts are skipped: each controller creates its own. An untrusted',
    'signer is not changed with --yes, because that would trust it. Nothing is written to an item that has been changed in the',
    'meantime.',
  ],
  examples: [
    { command: 'countersign apply -f state.yaml', description: 'show the plan, ask, apply it' },
    { command: 'countersign apply -f state.yaml --yes', description: 'for a pipeline' },
    { command: 'countersign apply -f state.yaml --prune --dry-run', description: 'show what would be deleted too' },
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
    const isPruning = call.flags.prune === true
    const { plan, state, kept, trusting } = await withClients(
      call,
      listNeededKinds(rest, { isPruning }),
      async (clients) => {
        const loaded = await loadPlan(clients, rest, { isPruning })
        return { ...loaded, trusting: await listTrustingWrites(clients.controller, toItemWrites(loaded.plan)) }
      },
    )
    for (const each of kept) call.terminal.note(`kept: ${each}`)
    await printPlan(call, plan)
    if (plan.length === 0 || call.flags['dry-run'] === true) {
      for (const write of trusting) printTrustingWrite(call, write)
      return EXIT.ok
    }
    for (const write of trusting) await confirmTrustingWrite(call, write)
    const deletions = plan.filter(({ action }) => action === 'delete').length
    await confirm(call, deletions === 0 ? 'Apply it?' : `Apply it, and delete ${deletions} of these?`)
    const written = await carryOut(call, rest, plan, state)
    if (getFormat(call) === 'table') call.terminal.out(`done: ${written.length} of ${plan.length}`)
    return EXIT.ok
  },
}

async function carryOut(call: Call, desired: Desired, plan: readonly Step[], state: State): Promise<Written[]> {
  const written: Written[] = []
  await withCredentialFiles(call, plan, (accounts) =>
    withClients(
      call,
      listNeededKinds(desired),
      async (clients) => {
        await applyPlan(clients, plan, state, ({ action, kind, name }, id) => {
          written.push({ action, kind, name, id })
          call.terminal.note(`${written.length}/${plan.length} ${kind.singular} ${name}`)
        })
        for (const { action, kind, name, id } of written) {
          if (action !== 'delete')
            printWarnings(call, kind, name, await loadWarnings(kind, openCollection(kind, clients), id))
        }
      },
      accounts,
    ),
  )
  return written
}

/** Reserves a file for the credentials of each new account with a client: they are issued only once. */
async function withCredentialFiles(
  call: Call,
  plan: readonly Step[],
  work: (accounts: AccountOptions) => Promise<void>,
): Promise<void> {
  const { out = '.', 'confirm-broad': confirmBroad } = call.flags
  const names = plan.flatMap(({ action, kind, name, members }) =>
    action === 'create' && kind === ACCOUNTS && members.kind !== 'federated' ? [name] : [],
  )
  const reserve = (rest: readonly string[], saves: ReadonlyMap<string, (text: string) => void>): Promise<void> => {
    const [name, ...others] = rest
    if (name === undefined) {
      return work({
        confirmBroad: confirmBroad === true,
        save: (account, credentials) => saves.get(account)?.(`${JSON.stringify(credentials, null, 2)}\n`),
      })
    }
    const path = join(String(out), fileNameFor(name, 'credentials.json'))
    return withSecretFiles(call, { paths: [path], replace: false }, (save) =>
      reserve(
        others,
        new Map([
          ...saves,
          [
            name,
            (text: string) => {
              save(text)
              call.terminal.note(`the credentials of the account ${name} are in ${path}`)
            },
          ],
        ]),
      ),
    )
  }
  await reserve(names, new Map())
}

function toItemWrites(plan: readonly Step[]): ItemWrite[] {
  return plan.flatMap(({ action, kind, existing: item, members }) =>
    item && action === 'update' ? [{ kind, item, members }] : [],
  )
}

const MARKS = { create: ['green', '+ '], update: ['yellow', '~ '], delete: ['red', '- '] } as const

async function printPlan(call: Call, plan: readonly Step[]): Promise<void> {
  if (getFormat(call) !== 'table') return printData(call, toPlanData(plan))
  if (plan.length === 0) call.terminal.out('nothing to do')
  for (const step of plan) {
    const { action, kind, name } = step
    call.terminal.out([MARKS[action], `${kind.singular} ${name}`])
    for (const line of describeChanges(step)) call.terminal.out(`    ${line}`)
  }
}
