import type { ControllerClient } from '@countersign/sdk'
import { EXIT } from '../cli-error.ts'
import type { Command } from '../command.ts'
import { CALL_FLAGS, YES_FLAG } from '../session/call-flags.ts'
import { confirm } from '../session/confirm.ts'
import { withController } from '../session/with-controller.ts'
import { getItem } from './get-item.ts'
import type { Collection, ResourceKind } from './resource-kind.ts'

interface Trustable {
  readonly id: string
  readonly trust: { readonly writtenBy: { readonly name: string } | null; readonly writtenAt: string }
}

interface TrustOptions<Entity> {
  open(client: ControllerClient): {
    getVersioned(id: string): Promise<{ readonly item: Entity; readonly version: string | undefined }>
    trust(id: string, options: { readonly ifMatch?: string | undefined }): Promise<void>
  }
  /** What the command shows, for its help. */
  readonly shown: string
  /** What trusting it leads to. */
  readonly effect: string
  /** An example of a name. */
  readonly example: string
  /** What decides whether it can be trusted. */
  summarize(item: Entity): (readonly [title: string, text: string])[]
}

const TITLE_WIDTH = 17

/** `countersign RESOURCE trust NAME`: shows the entity, and trusts the version that was shown. */
export function createTrustCommand<Entity extends Trustable>(
  kind: ResourceKind<Collection>,
  { open, shown, effect, example, summarize }: TrustOptions<Entity>,
): Command {
  return {
    args: ['NAME'],
    flags: [...CALL_FLAGS, YES_FLAG],
    details: [
      `Shows ${shown} and who wrote the ${kind.singular} last. Nothing is changed when it has been changed in the meantime.`,
    ],
    examples: [
      { command: `countersign ${kind.plural} trust ${example}`, description: 'by name or id' },
      { command: `countersign ${kind.plural} trust ${example} --yes`, description: 'without asking' },
    ],
    async run(call) {
      const nameOrId = call.args[0] ?? ''
      const { item, version } = await withController(call, async (client) => {
        const { id } = await getItem(kind, kind.open(client), nameOrId)
        return open(client).getVersioned(id)
      })
      const { writtenBy, writtenAt } = item.trust
      const written: [string, string] = ['Last written by:', `${writtenBy?.name ?? 'unknown'}, ${writtenAt}`]
      for (const [title, text] of [...summarize(item), written]) {
        call.terminal.notice(`${title.padEnd(TITLE_WIDTH)} ${text}`)
      }
      await confirm(call, `Trust the ${kind.singular} ${nameOrId}? ${effect}`)
      await withController(call, (client) => open(client).trust(item.id, { ifMatch: version }))
      call.terminal.out(`trusted ${kind.singular} ${nameOrId}`)
      return EXIT.ok
    },
  }
}
