import type { Account, HostedClient } from '@countersign/sdk'
import { EXIT, usageError } from '../../cli-error.ts'
import { collect } from '../../collect.ts'
import type { Command } from '../../command.ts'
import { CLIENT_FLAGS, readClient, readRotation, readSettings, SETTING_FLAGS } from '../../hosted/account-settings.ts'
import { createFederated, FEDERATED_FLAGS, findWorkload, getAudience } from '../../hosted/federated-account.ts'
import { getAccount } from '../../hosted/get-account.ts'
import { selectItems } from '../../hosted/select-items.ts'
import { HOSTED_FLAGS, withHosted } from '../../hosted/with-hosted.ts'
import { printChange } from '../../output/print-change.ts'
import { printList, printObject, printText } from '../../output/print-result.ts'
import { findByNameOrId, label } from '../../resources/find-by-name-or-id.ts'
import { LIST_FLAGS, readListOptions } from '../../resources/list-options.ts'
import { YES_FLAG } from '../../session/call-flags.ts'
import { confirm } from '../../session/confirm.ts'
import { accountChanges } from './account-changes.ts'
import { OUT_FLAG, writeCredentials } from './write-credentials.ts'

const list: Command = {
  args: [],
  flags: [...HOSTED_FLAGS, ...LIST_FLAGS],
  examples: [{ command: 'countersign accounts list', description: 'list the API accounts of the organization' }],
  async run(call) {
    const options = readListOptions(call)
    const found = await withHosted(call, ({ accounts }) => collect(accounts.list()))
    await printList(call, selectItems(found, options), [
      { title: 'NAME', get: (account: Account) => account.name },
      { title: 'KIND', get: ({ kind }) => kind },
      { title: 'ROLE', get: ({ role }) => role },
      { title: 'ACTIVE', get: ({ active }) => active },
      { title: 'CLIENT ID', get: ({ clientId }) => clientId, isWhole: true },
      { title: 'LAST USED', get: ({ lastUsedAt }) => lastUsedAt },
      { title: 'ID', get: ({ id }) => id, isWhole: true },
    ])
    return EXIT.ok
  },
}

const show: Command = {
  args: ['NAME'],
  flags: HOSTED_FLAGS,
  examples: [{ command: 'countersign accounts show deploy', description: 'by name or id, with its conditions' }],
  async run(call) {
    await printObject(call, await withHosted(call, (client) => getAccount(client, call.args[0] ?? '')))
    return EXIT.ok
  },
}

const create: Command = {
  args: ['NAME'],
  flags: [
    ...HOSTED_FLAGS,
    {
      name: 'provider',
      value: 'NAME',
      description: 'The identity provider, by name or id; required when there are several',
    },
    ...SETTING_FLAGS,
    ...CLIENT_FLAGS,
    ...FEDERATED_FLAGS,
    OUT_FLAG,
  ],
  details: [
    'The password is issued only once. It is written to a file that only you can read, and nowhere else.',
    'An account for the jobs of a platform has no password: the command prints the audience and the configuration of the job.',
  ],
  examples: [
    {
      command: 'countersign accounts create ci --role read-only --out credentials.json',
      description: 'for a pipeline',
    },
    {
      command: 'countersign accounts create deploy --github acme/app --environment production --role admin',
      description: 'for jobs of GitHub Actions, without a secret',
    },
  ],
  async run(call) {
    const [name = ''] = call.args
    const { flags } = call
    const settings = { name, ...readSettings(flags) }
    const workload = findWorkload(call)
    if (workload) return createFederated(call, workload, settings, findProviderId)
    return writeCredentials(call, 'created', { replace: false }, async (client) => {
      const body = {
        ...settings,
        identityProviderId: await findProviderId(client, flags.provider),
        ...readRotation(flags),
        ...readClient(flags),
      }
      return client.accounts.create(body)
    })
  },
}

const rotate: Command = {
  args: ['NAME'],
  flags: [
    ...HOSTED_FLAGS,
    { name: 'overlap', value: 'MINUTES', description: 'How long the old credentials stay valid [60]' },
    ...CLIENT_FLAGS,
    OUT_FLAG,
  ],
  examples: [
    {
      command: 'countersign accounts rotate ci --overlap 10 --out credentials.json',
      description: 'new credentials; the old ones stay valid for ten minutes',
    },
    {
      command: 'countersign accounts rotate ci --client-id 0oa2 --proof-token token.jwt',
      description: 'go over to another client that exists at the provider',
    },
  ],
  async run(call) {
    const [name = ''] = call.args
    const overlap = call.flags.overlap === undefined ? undefined : Number(call.flags.overlap)
    if (overlap !== undefined && !(overlap >= 0))
      throw usageError('--overlap must be a number', 'write --overlap MINUTES')
    return writeCredentials(call, 'rotated', { replace: true }, async (client) =>
      client.accounts.rotate((await getAccount(client, name)).id, {
        ...(overlap !== undefined && { overlapMinutes: overlap }),
        ...readClient(call.flags),
      }),
    )
  },
}

const pickUp: Command = {
  args: ['NAME'],
  flags: [...HOSTED_FLAGS, OUT_FLAG],
  details: ['Gets the credentials of a planned rotation, once. The account itself can do so with its old credentials.'],
  examples: [
    {
      command: 'countersign accounts pick-up ci --credentials credentials.json --out credentials.json',
      description: 'replaces the own credentials; run it more often than the overlap of the plan',
    },
  ],
  run: (call) =>
    writeCredentials(call, 'picked up the credentials of', { replace: true }, async (client) =>
      client.accounts.pickUp((await getAccount(client, call.args[0] ?? '')).id),
    ),
}

const remove: Command = {
  args: ['NAME'],
  flags: [...HOSTED_FLAGS, YES_FLAG],
  examples: [{ command: 'countersign accounts delete ci --yes', description: 'by name or id, without asking' }],
  async run(call) {
    const [name = ''] = call.args
    const { item: account, version } = await withHosted(call, async (client) =>
      client.accounts.getVersioned((await getAccount(client, name)).id),
    )
    await confirm(call, `Delete the account ${label(account)}?`)
    await withHosted(call, ({ accounts }) => accounts.delete(account.id, { ifMatch: version }))
    await printChange(call, { action: 'deleted', kind: 'account', item: account })
    return EXIT.ok
  },
}

const audience: Command = {
  args: [],
  flags: HOSTED_FLAGS,
  examples: [
    { command: 'countersign accounts audience', description: 'the audience for tokens of accounts without secrets' },
  ],
  async run(call) {
    await printText(call, 'audience', await withHosted(call, getAudience))
    return EXIT.ok
  },
}

async function findProviderId(client: HostedClient, nameOrId: unknown): Promise<string> {
  const all = await collect(client.providers.list())
  const [first, second] = all
  const found =
    nameOrId === undefined ? (second ? undefined : first) : findByNameOrId(all, String(nameOrId), 'provider')
  if (found) return found.id
  const names = all.map(({ name }) => name).join(', ')
  throw usageError(
    nameOrId === undefined && second ? 'there are several identity providers' : 'there is no such identity provider',
    `name one with --provider: ${names || 'there is none yet'}`,
  )
}

/** `countersign accounts …` */
export const accounts = { list, show, create, ...accountChanges, rotate, pickUp, delete: remove, audience }
