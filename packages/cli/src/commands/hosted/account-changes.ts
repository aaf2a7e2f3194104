import type { HostedClient } from '@countersign/sdk'
import { EXIT, usageError } from '../../cli-error.ts'
import type { Command } from '../../command.ts'
import { readRotation, readSettings, SETTING_FLAGS } from '../../hosted/account-settings.ts'
import { CONDITION_FLAGS, readConditions } from '../../hosted/federated-account.ts'
import { getAccount } from '../../hosted/get-account.ts'
import { HOSTED_FLAGS, withHosted } from '../../hosted/with-hosted.ts'
import { printChange } from '../../output/print-change.ts'

const update: Command = {
  args: ['NAME'],
  flags: [
    ...HOSTED_FLAGS,
    { name: 'rename', value: 'NAME', description: 'The new name' },
    ...SETTING_FLAGS,
    ...CONDITION_FLAGS,
  ],
  details: ['Members that are not named are kept. Conditions replace all conditions of an account without a secret.'],
  examples: [
    { command: 'countersign accounts update ci --role network-admin', description: 'update one member' },
    {
      command: 'countersign accounts update ci --rotate-every 30 --expires-at never',
      description: 'rotate its credentials by plan, and give it access without an end',
    },
    {
      command: 'countersign accounts update deploy --condition repository=acme/app --condition environment=production',
      description: 'replace the conditions of an account without a secret',
    },
  ],
  async run(call) {
    const { flags } = call
    const conditions = readConditions(flags)
    const account = await withHosted(call, async (client) => {
      const { item, version } = await client.accounts.getVersioned((await getAccount(client, call.args[0] ?? '')).id)
      const changes = {
        ...(flags.rename !== undefined && { name: String(flags.rename) }),
        ...readSettings(flags),
        ...readRotation(flags, item.rotation),
        ...(Object.keys(conditions).length > 0 && { conditions }),
      }
      if (Object.keys(changes).length === 0)
        throw usageError('there is nothing to change', '"countersign accounts update --help" lists the flags')
      const options = { ifMatch: version, confirmBroad: flags['confirm-broad'] === true }
      await client.accounts.update(item.id, changes, options)
      return item
    })
    await printChange(call, { action: 'updated', kind: 'account', item: account })
    return EXIT.ok
  },
}

/** A command that switches an account. `done` is the past participle in the output. */
function createSwitch(
  verb: 'enable' | 'disable',
  done: string,
  description: string,
  details: readonly string[] = [],
): Command {
  return {
    args: ['NAME'],
    flags: HOSTED_FLAGS,
    details,
    examples: [{ command: `countersign accounts ${verb} ci`, description }],
    async run(call) {
      const account = await withHosted(call, async (client: HostedClient) => {
        const found = await getAccount(client, call.args[0] ?? '')
        await client.accounts[verb](found.id)
        return found
      })
      await printChange(call, { action: done, kind: 'account', item: account })
      return EXIT.ok
    },
  }
}

const enable = createSwitch('enable', 'enabled', 'its tokens are accepted again')
const disable = createSwitch('disable', 'disabled', 'until it is enabled again', [
  'Its tokens are refused from the next request on, and its sessions end. Nothing is deleted.',
])

/** What changes an account, but not its credentials. */
export const accountChanges = { update, enable, disable }
