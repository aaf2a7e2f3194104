import type { ControllerClient } from '@countersign/sdk'
import { EXIT } from '../cli-error.ts'
import type { Call, Command, Flag } from '../command.ts'
import { printChange } from '../output/print-change.ts'
import { printList, printObject } from '../output/print-result.ts'
import { CALL_FLAGS, LOCK_OUT_FLAG, YES_FLAG } from '../session/call-flags.ts'
import { confirm } from '../session/confirm.ts'
import { withController } from '../session/with-controller.ts'
import { label } from './find-by-name-or-id.ts'
import { getItem } from './get-item.ts'
import { LIST_FLAGS, readListOptions } from './list-options.ts'
import { loadItems } from './load-items.ts'
import type { Collection, DeletableCollection, Item, ResourceKind } from './resource-kind.ts'
import { withoutSecrets } from './without-secrets.ts'

/** `countersign RESOURCE list` */
export function createListCommand(kind: ResourceKind<Collection>, examples: Command['examples'] = []): Command {
  return {
    args: [],
    flags: [...CALL_FLAGS, ...LIST_FLAGS],
    examples: [
      { command: `countersign ${kind.plural} list`, description: 'list all' },
      { command: `countersign ${kind.plural} list -o json`, description: 'list all as JSON' },
      {
        command: `countersign ${kind.plural} list --sort createdAt --limit 10 -o name`,
        description: `only the ${kind.hasNames ? 'names' : 'ids'} of the ten oldest`,
      },
      ...examples,
    ],
    async run(call) {
      const options = readListOptions(call)
      const items = await withController(call, (client) => loadItems(kind, kind.open(client), options))
      await printList(call, items.map(withoutSecrets), kind.columns)
      return EXIT.ok
    },
  }
}

/** `countersign RESOURCE show NAME` */
export function createShowCommand(kind: ResourceKind<Collection>): Command {
  const [argument, example, by] = kind.hasNames ? ['NAME', 'example', 'name or id'] : ['ID', 'ID', 'id']
  return {
    args: [argument],
    flags: CALL_FLAGS,
    examples: [{ command: `countersign ${kind.plural} show ${example} -o yaml`, description: `by ${by}` }],
    async run(call) {
      const item = await withController(call, async (client) => {
        const collection = kind.open(client)
        return collection.get((await getItem(kind, collection, call.args[0] ?? '')).id)
      })
      await printObject(call, withoutSecrets(item))
      return EXIT.ok
    },
  }
}

/** `countersign RESOURCE delete NAME`, or `delete ID` for resources without names. */
export function createDeleteCommand(kind: ResourceKind<DeletableCollection>): Command {
  const [argument, example, by] = kind.hasNames ? ['NAME', 'example', 'name or id'] : ['ID', 'ID', 'id']
  return {
    args: [argument],
    flags: [...CALL_FLAGS, YES_FLAG, LOCK_OUT_FLAG],
    examples: [
      { command: `countersign ${kind.plural} delete ${example} --yes`, description: `by ${by}, without asking` },
    ],
    async run(call) {
      const nameOrId = call.args[0] ?? ''
      const item = await withController(call, (client) => getItem(kind, kind.open(client), nameOrId))
      await confirm(call, `Delete the ${kind.singular} ${label(item)}?`)
      await withController(call, (client) => kind.open(client).delete(item.id))
      await printChange(call, { action: 'deleted', kind: kind.singular, item })
      return EXIT.ok
    },
  }
}

/** `countersign RESOURCE VERB NAME`: an action on one item. */
export function createActionCommand(
  kind: ResourceKind<Collection>,
  action: {
    readonly verb: string
    /** The past participle in the output: `enabled`. */
    readonly done: string
    readonly flags?: readonly Flag[]
    /** Flags of the example. */
    readonly example?: string
    act(client: ControllerClient, item: Item, call: Call): Promise<unknown>
  },
): Command {
  return {
    args: ['NAME'],
    flags: [...CALL_FLAGS, LOCK_OUT_FLAG, ...(action.flags ?? [])],
    examples: [
      {
        command: `countersign ${kind.plural} ${action.verb} example${action.example ?? ''}`,
        description: 'by name or id',
      },
    ],
    async run(call) {
      const nameOrId = call.args[0] ?? ''
      const item = await withController(call, async (client) => {
        const found = await getItem(kind, kind.open(client), nameOrId)
        await action.act(client, found, call)
        return found
      })
      await printChange(call, { action: action.done, kind: kind.singular, item })
      return EXIT.ok
    },
  }
}
