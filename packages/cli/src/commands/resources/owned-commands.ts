import type { ControllerClient } from '@countersign/sdk'
import { EXIT } from '../../cli-error.ts'
import type { Command } from '../../command.ts'
import { printChange } from '../../output/print-change.ts'
import { printList, printObject } from '../../output/print-result.ts'
import { printableLine } from '../../printable.ts'
import { getOwned, IDENTITY_FLAG, OWNED_HELP, withOwner } from '../../resources/get-owned.ts'
import { readListOptions } from '../../resources/list-options.ts'
import { loadItems } from '../../resources/load-items.ts'
import { readExpiry, TOKEN_FLAGS, writeOneTimeToken } from '../../resources/one-time-token.ts'
import { createListCommand } from '../../resources/read-commands.ts'
import type { DeletableCollection, Item, ResourceKind } from '../../resources/resource-kind.ts'
import { withoutSecrets } from '../../resources/without-secrets.ts'
import { CALL_FLAGS, LOCK_OUT_FLAG, YES_FLAG } from '../../session/call-flags.ts'
import { confirm } from '../../session/confirm.ts'
import { withController } from '../../session/with-controller.ts'

/** The name of the owner, for questions and results. */
function ownerOf({ identity }: Item): string {
  return (identity as { readonly name: string }).name
}

/** The list of a kind whose items belong to identities, with `--identity`. */
export function createOwnedList(kind: ResourceKind<DeletableCollection>): Command {
  const list = createListCommand(kind)
  return {
    ...list,
    flags: [...list.flags, IDENTITY_FLAG],
    examples: [
      ...list.examples,
      { command: `countersign ${kind.plural} list --identity erika`, description: 'those of one identity' },
    ],
    async run(call) {
      const options = readListOptions(call)
      const items = await withController(call, async (client) =>
        loadItems(kind, kind.open(client), { ...options, filter: await withOwner(client, call, options.filter) }),
      )
      await printList(call, items.map(withoutSecrets), kind.columns)
      return EXIT.ok
    },
  }
}

export function createOwnedShow(kind: ResourceKind<DeletableCollection>): Command {
  return {
    args: ['ID'],
    flags: CALL_FLAGS,
    details: [OWNED_HELP],
    examples: [
      { command: `countersign ${kind.plural} show ID -o yaml`, description: 'by its id' },
      { command: `countersign ${kind.plural} show erika`, description: 'by its identity' },
    ],
    async run(call) {
      const item = await withController(call, (client) => getOwned(client, kind, call.args[0] ?? ''))
      await printObject(call, withoutSecrets(item))
      return EXIT.ok
    },
  }
}

/** `revoke`: deletes the item, so that it can no longer be used. `effect` is what that means. */
export function createRevoke(kind: ResourceKind<DeletableCollection>, effect: string): Command {
  return {
    args: ['ID'],
    flags: [...CALL_FLAGS, YES_FLAG, LOCK_OUT_FLAG],
    details: [effect, OWNED_HELP],
    examples: [
      { command: `countersign ${kind.plural} revoke ID --yes`, description: 'by its id, without asking' },
      { command: `countersign ${kind.plural} revoke erika`, description: 'by its identity' },
    ],
    async run(call) {
      const item = await withController(call, (client) => getOwned(client, kind, call.args[0] ?? ''))
      await confirm(call, `Revoke the ${kind.singular} ${item.id} of ${printableLine(ownerOf(item))}? ${effect}`)
      await withController(call, (client) => kind.open(client).delete(item.id))
      await printChange(call, {
        action: 'revoked',
        kind: kind.singular,
        item: { id: item.id },
        members: { identity: ownerOf(item) },
        ending: ` of ${ownerOf(item)}`,
      })
      return EXIT.ok
    },
  }
}

interface Reissue {
  /** `renew` */
  readonly verb: string
  /** `renewed` */
  readonly done: string
  readonly effect: string
  readonly asks: boolean
  /** Replaces the item and returns the id of the enrollment. */
  issue(client: ControllerClient, id: string, expiresAt: Date): Promise<string>
}

/** A command that replaces the item by a new one-time token. */
export function createReissue(
  kind: ResourceKind<DeletableCollection>,
  { verb, done, effect, asks, issue }: Reissue,
): Command {
  return {
    args: ['ID'],
    flags: [...CALL_FLAGS, ...TOKEN_FLAGS, ...(asks ? [YES_FLAG, LOCK_OUT_FLAG] : [])],
    details: [effect, OWNED_HELP, 'The token lets its holder act as the identity. Its file is readable only by you.'],
    examples: [
      {
        command: `countersign ${kind.plural} ${verb} erika${asks ? ' --yes' : ''}`,
        description: 'by its identity, with the token in erika.jwt',
      },
      {
        command: `countersign ${kind.plural} ${verb} ID --minutes 1440 --out token.jwt`,
        description: 'by its id, valid for a day',
      },
    ],
    async run(call) {
      const expiresAt = readExpiry(call)
      const item = await withController(call, (client) => getOwned(client, kind, call.args[0] ?? ''))
      if (asks)
        await confirm(call, `Reset the ${kind.singular} ${item.id} of ${printableLine(ownerOf(item))}? ${effect}`)
      return writeOneTimeToken(call, {
        item,
        action: done,
        kind: kind.singular,
        issue: (client) => issue(client, item.id, expiresAt),
      })
    },
  }
}
