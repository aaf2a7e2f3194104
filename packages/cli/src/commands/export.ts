import { CliError, EXIT } from '../cli-error.ts'
import type { Call, Command } from '../command.ts'
import { writePrivateFile } from '../files/private-file.ts'
import { getFormat } from '../output/print-result.ts'
import { printableYamlLines } from '../output/printable-yaml.ts'
import { printableJsonLines } from '../printable.ts'
import { label } from '../resources/find-by-name-or-id.ts'
import { CAS, SINKS } from '../resources/kinds.ts'
import { listReferenced } from '../resources/references.ts'
import type { Item, ResourceDescription } from '../resources/resource-kind.ts'
import { findTrust } from '../resources/trust.ts'
import { CALL_FLAGS } from '../session/call-flags.ts'
import { listStoredSecrets } from '../state/diff-secrets.ts'
import { loadState, type State, toNamed } from '../state/named-state.ts'
import { splitControllerOwned } from '../state/split-controller-owned.ts'
import { getKind, isHosted, KINDS } from '../state/state-kinds.ts'
import { withClients } from '../state/with-clients.ts'
import { isSdkError } from '../to-cli-error.ts'

/** `countersign export`: write signers, policies, identities and the rest as YAML. */
export const exportState: Command = {
  args: ['[KIND]'],
  flags: [
    ...CALL_FLAGS,
    {
      name: 'kind',
      value: 'KIND',
      repeatable: true,
      description: `Only this kind: ${KINDS.map(({ plural }) => plural).join(', ')}; can be repeated`,
    },
    {
      name: 'file',
      short: 'f',
      value: 'FILE',
      description: 'Write to this file, readable only by its owner, instead of stdout',
    },
  ],
  details: [
    'Every member is written, also those without a value. References are by name, so that the file can be applied to another',
    'controller. It contains no passwords, keys and secrets, no credentials of identities, and no identities of API accounts:',
    'each controller creates its own. Providers, networks and accounts are those of your organization at the hosted API.',
  ],
  examples: [
    { command: 'countersign export -f state.yaml', description: 'write a file for apply' },
    { command: 'countersign export signers', description: 'only the signers' },
    { command: 'countersign export --kind policies --kind identities', description: 'two kinds' },
  ],
  async run(call) {
    const format = getFormat(call)
    const given = listGiven(call)
    const kinds = given.length > 0 ? KINDS.filter((kind) => given.includes(kind)) : KINDS
    const state = await load(call, kinds, { isComplete: given.length === 0 })
    const { rest } = splitControllerOwned(state, 'id')
    const shown = kinds.filter((kind) => rest.has(kind))
    const named = Object.fromEntries(
      shown.map((kind) => [kind.plural, (rest.get(kind) ?? []).map((item) => toNamed(kind, item, state))]),
    )
    for (const kind of shown) {
      printUntrusted(call, kind, rest.get(kind) ?? [])
      printMissingSecrets(call, kind, rest.get(kind) ?? [])
    }
    const lines = await buildLines(format, named)
    if (typeof call.flags.file === 'string') {
      writePrivateFile(call.flags.file, `${lines.join('\n')}\n`)
      call.terminal.note(`wrote ${call.flags.file}`)
    } else for (const line of lines) call.terminal.out(line)
    return EXIT.ok
  },
}

/** YAML unless another format is given; `-o name` is `signers/example`. */
async function buildLines(
  format: ReturnType<typeof getFormat>,
  named: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>,
): Promise<string[]> {
  if (format === 'json') return printableJsonLines(named)
  if (format !== 'name') return printableYamlLines(named)
  return Object.entries(named).flatMap(([plural, items]) => items.map(({ name }) => `${plural}/${String(name)}`))
}

function listGiven({ args, flags }: Call): ResourceDescription[] {
  const { kind = [] } = flags
  return [...args, ...[kind].flat()].map((name) => getKind(String(name)))
}

/** Loads the kinds and those that they reference. An export of everything leaves out what the caller cannot read and nothing else needs. */
async function load(
  call: Call,
  kinds: readonly ResourceDescription[],
  { isComplete }: { readonly isComplete: boolean },
): Promise<State> {
  const needed = KINDS.filter((kind) => kinds.some((one) => one === kind || listReferenced(one).includes(kind)))
  const groups = [
    (kind: ResourceDescription) => !isHosted(kind) && kind !== CAS && kind !== SINKS,
    (kind: ResourceDescription) => kind === CAS,
    (kind: ResourceDescription) => kind === SINKS,
    isHosted,
  ]
  const state = new Map<ResourceDescription, Item[]>()
  for (const [index, isMember] of groups.entries()) {
    const group = needed.filter(isMember)
    if (group.length === 0) continue
    try {
      const loaded = await withClients(call, group, (clients) => loadState(clients, group))
      for (const [kind, items] of loaded) state.set(kind, items)
    } catch (error) {
      if (!isComplete || index === 0 || !(isSdkError(error) || error instanceof CliError)) throw error
      const names = group.map(({ plural }) => plural).join(', ')
      call.terminal.notice(`warning: ${names} are left out: ${error.message}`)
    }
  }
  return state
}

/** The trust in an item is not part of a file: an administrator who applies it writes the item, and so trusts it. */
function printUntrusted({ terminal }: Call, { singular }: ResourceDescription, items: readonly Item[]) {
  for (const item of items) {
    if (findTrust(item)?.state === 'untrusted')
      terminal.notice(
        `warning: ${singular} ${label(item)} is untrusted; an administrator who applies the file elsewhere trusts it`,
      )
  }
}

/** A controller never shows its secrets, so that the file lacks them. */
function printMissingSecrets({ terminal }: Call, kind: ResourceDescription, items: readonly Item[]) {
  for (const item of items) {
    for (const secret of listStoredSecrets(kind, item))
      terminal.notice(
        `warning: the ${secret} of ${kind.singular} ${label(item)} is not exported; add it to the file to apply it elsewhere`,
      )
  }
}
