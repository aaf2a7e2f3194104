import { EXIT, usageError } from '../cli-error.ts'
import type { Call, Command, Flag } from '../command.ts'
import { printChange } from '../output/print-change.ts'
import { CALL_FLAGS, LOCK_OUT_FLAG } from '../session/call-flags.ts'
import { withController } from '../session/with-controller.ts'
import { buildBody, buildFieldFlags } from './field-flags.ts'
import { getItem } from './get-item.ts'
import { mergeMembers } from './merge-members.ts'
import { isEmpty } from './pick-writable.ts'
import { type Members, resolveReferences } from './references.ts'
import type { Item, ResourceKind } from './resource-kind.ts'
import { confirmTrustingWrite, isTrustingWrite, TRUSTING_WRITE_HELP } from './trust-by-write.ts'
import { loadWarnings, printWarnings } from './warnings.ts'
import { writeChanges } from './write-changes.ts'

interface CreateOptions {
  readonly examples: Command['examples']
  readonly flags?: readonly Flag[]
  readonly details?: readonly string[]
  /** Adds members to those of flags, `-f` and `--set`. Default: the `defaults` of the kind. */
  complete?(call: Call, members: Members): Promise<Members>
}

/** `countersign RESOURCE create NAME` */
export function createCreateCommand(
  kind: ResourceKind,
  {
    examples,
    flags = [],
    details = [],
    complete = async (_call, members) => withDefaults(kind, members),
  }: CreateOptions,
): Command {
  return {
    args: ['NAME'],
    flags: [...CALL_FLAGS, ...flags, ...buildFieldFlags(kind.fields)],
    details: [...details, 'Set members without a flag with --set, or in a file with -f; docs/api.md lists them.'],
    examples,
    async run(call) {
      const [name = ''] = call.args
      const body = { ...(await complete(call, await buildBody(call, kind))), name }
      const { id, warnings } = await withController(call, async (client) => {
        const collection = kind.open(client)
        const id = await collection.create(await resolveReferences(client, kind, body))
        return { id, warnings: await loadWarnings(kind, collection, id, client) }
      })
      await printChange(call, { action: 'created', kind: kind.singular, item: { id, name } })
      printWarnings(call, kind, name, warnings)
      return EXIT.ok
    },
  }
}

function withDefaults({ defaults }: ResourceKind, members: Members): Members {
  return mergeMembers(defaults, members)
}

/** `countersign RESOURCE update NAME` */
export function createUpdateCommand(kind: ResourceKind, example: string): Command {
  return {
    args: ['NAME'],
    flags: [
      ...CALL_FLAGS,
      { name: 'rename', value: 'NAME', description: 'The new name' },
      LOCK_OUT_FLAG,
      ...buildFieldFlags(kind.fields),
    ],
    details: ['Members that are not named are kept.', ...(kind.trustMembers ? [TRUSTING_WRITE_HELP] : [])],
    examples: [{ command: `countersign ${kind.plural} update example ${example}`, description: 'update one member' }],
    async run(call) {
      const [nameOrId = ''] = call.args
      const { rename } = call.flags
      const changes = { ...(await buildBody(call, kind)), ...(rename !== undefined && { name: rename }) }
      if (Object.keys(changes).length === 0)
        throw usageError('there is nothing to change', `"countersign ${kind.plural} update --help" lists the flags`)
      const { item, version, isTrusting, members } = await withController(call, async (client) => {
        const collection = kind.open(client)
        const found = await getItem(kind, collection, nameOrId)
        const read = kind.trustMembers ? await collection.getVersioned(found.id) : { item: found, version: undefined }
        const members = { ...clearedMembers(kind, read.item, changes), ...changes }
        return { ...read, members, isTrusting: await isTrustingWrite(client, { kind, item: read.item, members }) }
      })
      if (isTrusting) await confirmTrustingWrite(call, { kind, item, members })
      const warnings = await withController(call, async (client) => {
        const collection = kind.open(client)
        await writeChanges(kind, collection, { item, version }, await resolveReferences(client, kind, members))
        return loadWarnings(kind, collection, item.id, client)
      })
      await printChange(call, { action: 'updated', kind: kind.singular, item })
      printWarnings(call, kind, item.name ?? item.id, warnings)
      return EXIT.ok
    },
  }
}

/** Of members that exclude each other, those that the changes replace. */
function clearedMembers({ exclusive = [] }: ResourceKind, item: Item, changes: Members): Members {
  if (!exclusive.some((name) => !isEmpty(changes[name]))) return {}
  const replaced = exclusive.filter((name) => !(name in changes) && !isEmpty(item[name]))
  return Object.fromEntries(replaced.map((name) => [name, null]))
}
