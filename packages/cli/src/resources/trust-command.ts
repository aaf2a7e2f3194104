import type { ControllerClient } from '@countersign/sdk'
import { EXIT } from '../cli-error.ts'
import type { Command } from '../command.ts'
import { printChange } from '../output/print-change.ts'
import { CALL_FLAGS, YES_FLAG } from '../session/call-flags.ts'
import { confirm } from '../session/confirm.ts'
import { withController } from '../session/with-controller.ts'
import { label } from './find-by-name-or-id.ts'
import { getItem } from './get-item.ts'
import type { ResourceKind } from './resource-kind.ts'
import { describeWriter } from './trust.ts'
import { alignRows, buildTrustRows } from './trust-rows.ts'

interface TrustOptions {
  open(client: ControllerClient): {
    trust(id: string, options: { readonly ifMatch?: string | undefined }): Promise<void>
  }
  /** What trusting it leads to. */
  readonly effect: string
  /** An example of a name. */
  readonly example: string
}

/** `countersign RESOURCE trust NAME`: shows the entity, and trusts the version that was shown. */
export function createTrustCommand(kind: ResourceKind, { open, effect, example }: TrustOptions): Command {
  return {
    args: ['NAME'],
    flags: [...CALL_FLAGS, YES_FLAG],
    details: [
      `Shows the members that differ from their defaults, and who wrote the ${kind.singular} last. Nothing is changed when`,
      'it has been changed in the meantime.',
    ],
    examples: [
      { command: `countersign ${kind.plural} trust ${example}`, description: 'by name or id' },
      { command: `countersign ${kind.plural} trust ${example} --yes`, description: 'without asking' },
    ],
    async run(call) {
      const nameOrId = call.args[0] ?? ''
      const { item, version } = await withController(call, async (client) => {
        const collection = kind.open(client)
        return collection.getVersioned((await getItem(kind, collection, nameOrId)).id)
      })
      const rows = [
        ...buildTrustRows(kind.trustMembers ?? [], item),
        ['Last written by', describeWriter(item)] as const,
      ]
      for (const line of alignRows(rows)) call.terminal.notice(line)
      await confirm(call, `Trust the ${kind.singular} ${label(item)}? ${effect}`)
      await withController(call, (client) => open(client).trust(item.id, { ifMatch: version }))
      await printChange(call, { action: 'trusted', kind: kind.singular, item })
      return EXIT.ok
    },
  }
}
