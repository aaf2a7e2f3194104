import type { Account, HostedClient } from '@countersign/sdk'
import { CliError, EXIT, usageError } from '../../cli-error.ts'
import { collect } from '../../collect.ts'
import type { Command, FlagValues } from '../../command.ts'
import { loadTextFile } from '../../files/load-text-file.ts'
import { createFederated, FEDERATED_FLAGS, findWorkload, getAudience } from '../../hosted/federated-account.ts'
import { HOSTED_FLAGS, withHosted } from '../../hosted/with-hosted.ts'
import { printList, printObject } from '../../output/print-result.ts'
import { findByNameOrId, label } from '../../resources/find-by-name-or-id.ts'
import { YES_FLAG } from '../../session/call-flags.ts'
import { confirm } from '../../session/confirm.ts'
import { OUT_FLAG, writeCredentials } from './write-credentials.ts'

const list: Command = {
  args: [],
  flags: HOSTED_FLAGS,
  examples: [{ command: 'countersign accounts list', description: 'list the API accounts of the organization' }],
  async run(call) {
    await printList(call, await withHosted(call, ({ accounts }) => collect(accounts.list())), [
      { title: 'NAME', get: (account: Account) => account.name },
      { title: 'KIND', get: ({ kind }) => kind },
      { title: 'ROLE', get: ({ role }) => role },
      { title: 'ACTIVE', get: ({ active }) => active },
      { title: 'CLIENT ID', get: ({ clientId }) => clientId },
      { title: 'LAST USED', get: ({ lastUsedAt }) => lastUsedAt },
      { title: 'ID', get: ({ id }) => id },
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
    {
      name: 'role',
      value: 'ROLE',
      description: 'admin, network-admin or read-only, the default; "roles list" shows what each permits',
    },
    { name: 'email', value: 'ADDRESS', description: 'The contact address' },
    { name: 'rotate-every', value: 'DAYS', description: 'Rotate the credentials by plan' },
    { name: 'rotation-overlap', value: 'HOURS', description: 'How long the old ones stay valid then [24]' },
    { name: 'description', value: 'TEXT', description: 'The purpose of the account' },
    {
      name: 'client-id',
      value: 'ID',
      description: 'Use this existing client of the provider instead of registering one',
    },
    {
      name: 'proof-token',
      value: 'FILE',
      description: 'A file with a current access token of this client, which proves that it is yours',
    },
    ...FEDERATED_FLAGS,
    { name: 'expires-at', value: 'TIME', description: 'When its access ends, such as 2027-01-31T00:00:00Z' },
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
    const settings = {
      name,
      ...(flags.role !== undefined && { role: flags.role as Account['role'] }),
      ...(flags.email !== undefined && { contactEmail: String(flags.email) }),
      ...(flags.description !== undefined && { description: String(flags.description) }),
      ...(flags['expires-at'] !== undefined && { expiresAt: String(flags['expires-at']) }),
    }
    const workload = findWorkload(call)
    if (workload) return createFederated(call, workload, settings, findProviderId)
    return writeCredentials(call, 'created', { replace: false }, async (client) => {
      const body = {
        ...settings,
        identityProviderId: await findProviderId(client, flags.provider),
        ...rotationOf(flags),
        ...(flags['client-id'] !== undefined && { clientId: String(flags['client-id']) }),
        ...(flags['proof-token'] !== undefined && { proofToken: loadTextFile(String(flags['proof-token'])).trim() }),
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
    OUT_FLAG,
  ],
  examples: [
    {
      command: 'countersign accounts rotate ci --overlap 10 --out credentials.json',
      description: 'new credentials; the old ones stay valid for ten minutes',
    },
  ],
  async run(call) {
    const [name = ''] = call.args
    const overlap = call.flags.overlap === undefined ? undefined : Number(call.flags.overlap)
    if (overlap !== undefined && !(overlap >= 0))
      throw usageError('--overlap must be a number', 'write --overlap MINUTES')
    return writeCredentials(call, 'rotated', { replace: true }, async (client) =>
      client.accounts.rotate(
        (await getAccount(client, name)).id,
        overlap === undefined ? {} : { overlapMinutes: overlap },
      ),
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
    call.terminal.out(`deleted account ${label(account)}`)
    return EXIT.ok
  },
}

const audience: Command = {
  args: [],
  flags: HOSTED_FLAGS.filter(({ name }) => name !== 'output'),
  examples: [
    { command: 'countersign accounts audience', description: 'the audience for tokens of accounts without secrets' },
  ],
  async run(call) {
    call.terminal.out(await withHosted(call, getAudience))
    return EXIT.ok
  },
}

const DEFAULT_OVERLAP_HOURS = 24

function rotationOf(flags: FlagValues) {
  const { 'rotate-every': days, 'rotation-overlap': hours = DEFAULT_OVERLAP_HOURS } = flags
  if (days === undefined) return {}
  const rotation = { everyDays: Number(days), overlapHours: Number(hours) }
  const isWhole = Number.isInteger(rotation.everyDays) && Number.isInteger(rotation.overlapHours)
  if (!isWhole)
    throw usageError('the plan of rotation is no number', 'write --rotate-every DAYS --rotation-overlap HOURS')
  return { rotation }
}

async function getAccount(client: HostedClient, nameOrId: string): Promise<Account> {
  const all = await collect(client.accounts.list())
  const found = findByNameOrId(all, nameOrId, 'account')
  if (found) return found
  throw new CliError(`there is no account "${nameOrId}"`, {
    hint: '"countersign accounts list" shows all',
    exitCode: EXIT.notFound,
  })
}

async function findProviderId(client: HostedClient, nameOrId: unknown): Promise<string> {
  const all = await collect(client.providers.list())
  const matching = nameOrId === undefined ? all : all.filter(({ id, name }) => id === nameOrId || name === nameOrId)
  const [first, second] = matching
  if (first && !second) return first.id
  const names = all.map(({ name }) => name).join(', ')
  throw usageError(
    matching.length === 0 ? 'there is no such identity provider' : 'there are several identity providers',
    `name one with --provider: ${names || 'there is none yet'}`,
  )
}

/** `countersign accounts …` */
export const accounts = { list, show, create, rotate, pickUp, delete: remove, audience }
