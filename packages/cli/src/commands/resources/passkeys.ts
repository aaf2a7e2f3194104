import type { ControllerClient, Passkey } from '@countersign/sdk'
import { CliError, EXIT } from '../../cli-error.ts'
import type { Call, Command } from '../../command.ts'
import { selectItems } from '../../hosted/select-items.ts'
import { printChange } from '../../output/print-change.ts'
import { printList } from '../../output/print-result.ts'
import { findByNameOrId, label } from '../../resources/find-by-name-or-id.ts'
import { getItem } from '../../resources/get-item.ts'
import { IDENTITIES } from '../../resources/kinds.ts'
import { LIST_FLAGS, readListOptions } from '../../resources/list-options.ts'
import type { Item } from '../../resources/resource-kind.ts'
import { CALL_FLAGS, YES_FLAG } from '../../session/call-flags.ts'
import { confirm } from '../../session/confirm.ts'
import { withController } from '../../session/with-controller.ts'

function ownerOf(client: ControllerClient, { args }: Call): Promise<Item> {
  return getItem(IDENTITIES, IDENTITIES.open(client), args[0] ?? '')
}

const list: Command = {
  args: ['IDENTITY'],
  flags: [...CALL_FLAGS, ...LIST_FLAGS],
  examples: [{ command: 'countersign passkeys list erika', description: 'by name or id of the identity' }],
  async run(call) {
    const options = readListOptions(call)
    const passkeys = await withController(call, async (client) =>
      client.identities.passkeys((await ownerOf(client, call)).id),
    )
    await printList(call, selectItems(passkeys, options), [
      { title: 'NAME', get: ({ name }: Passkey) => name },
      { title: 'DOMAIN', get: ({ rpId }) => rpId },
      { title: 'CREATED', get: ({ createdAt }) => createdAt },
      { title: 'LAST USED', get: ({ lastUsedAt }) => lastUsedAt ?? 'never' },
      { title: 'ID', get: ({ id }) => id, isWhole: true },
    ])
    return EXIT.ok
  },
}

const EFFECT = 'Logins with it are refused, and the sessions that it has opened or completed end.'

const revoke: Command = {
  args: ['IDENTITY', 'PASSKEY'],
  flags: [...CALL_FLAGS, YES_FLAG],
  details: [EFFECT, 'For a lost device. Only the identity itself can add a passkey: in the console, under My account.'],
  examples: [{ command: 'countersign passkeys revoke erika phone --yes', description: 'by its name or id' }],
  async run(call) {
    const [, text = ''] = call.args
    const { owner, passkey } = await withController(call, async (client) => {
      const found = await ownerOf(client, call)
      return { owner: found, passkey: findByNameOrId(await client.identities.passkeys(found.id), text, 'passkey') }
    })
    if (!passkey) {
      const hint = `"countersign passkeys list ${owner.name}" shows all`
      throw new CliError(`the identity ${label(owner)} has no passkey "${text}"`, { hint, exitCode: EXIT.notFound })
    }
    await confirm(call, `Revoke the passkey ${label(passkey)} of ${label(owner)}? ${EFFECT}`)
    await withController(call, (client) => client.identities.deletePasskey(owner.id, passkey.id))
    await printChange(call, {
      action: 'revoked',
      kind: 'passkey',
      item: passkey,
      members: { identity: owner.name },
      ending: ` of ${label(owner)}`,
    })
    return EXIT.ok
  },
}

/** `countersign passkeys …` */
export const passkeys = { list, revoke }
