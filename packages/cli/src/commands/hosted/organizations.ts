import type { HostedClient, OperatorOrganization, OrganizationQuotaChanges } from '@countersign/sdk'
import { CliError, EXIT, usageError } from '../../cli-error.ts'
import { collect } from '../../collect.ts'
import type { Call, Command } from '../../command.ts'
import { selectItems } from '../../hosted/select-items.ts'
import { HOSTED_FLAGS, withHosted } from '../../hosted/with-hosted.ts'
import { printChange } from '../../output/print-change.ts'
import { printList, printObject } from '../../output/print-result.ts'
import { findByNameOrId, label } from '../../resources/find-by-name-or-id.ts'
import { LIST_FLAGS, readListOptions } from '../../resources/list-options.ts'
import { YES_FLAG } from '../../session/call-flags.ts'
import { confirm } from '../../session/confirm.ts'
import { textFlag } from '../../text-flag.ts'

const OPERATOR_ONLY = 'For administrators of the organization that owns the controller.'

const list: Command = {
  args: [],
  flags: [...HOSTED_FLAGS, ...LIST_FLAGS],
  details: [OPERATOR_ONLY],
  examples: [{ command: 'countersign organizations list', description: 'all organizations, with what they have' }],
  async run(call) {
    const options = readListOptions(call)
    const all = await withHosted(call, ({ operatorOrganizations }) => collect(operatorOrganizations.list()))
    await printList(call, selectItems(all, options), [
      { title: 'NAME', get: (organization: OperatorOrganization) => organization.name },
      { title: 'LABEL', get: (organization) => organization.label },
      { title: 'STATE', get: ({ active }) => (active ? 'active' : 'suspended') },
      { title: 'NETWORKS', get: ({ usage, quotas }) => `${usage.networks}/${quotas.networks}` },
      { title: 'ACCOUNTS', get: ({ usage, quotas }) => `${usage.accounts}/${quotas.accounts}` },
      { title: 'PROVIDERS', get: ({ usage, quotas }) => `${usage.providers}/${quotas.providers}` },
      { title: 'ID', get: ({ id }) => id, isWhole: true },
    ])
    return EXIT.ok
  },
}

const show: Command = {
  args: ['NAME'],
  flags: HOSTED_FLAGS,
  details: [OPERATOR_ONLY],
  examples: [{ command: 'countersign organizations show acme -o yaml', description: 'by name, label or id' }],
  async run(call) {
    const { item } = await withHosted(call, (client) => getOrganization(client, call))
    await printObject(call, item)
    return EXIT.ok
  },
}

const suspend: Command = {
  args: ['NAME'],
  flags: [
    ...HOSTED_FLAGS,
    YES_FLAG,
    { name: 'reason', value: 'TEXT', description: 'Shown to the accounts of the organization when they are refused' },
  ],
  details: [
    OPERATOR_ONLY,
    'Its tokens are refused from the next request on, and its sessions end. Nothing is deleted.',
  ],
  examples: [{ command: 'countersign organizations suspend acme --reason unpaid', description: 'until it is resumed' }],
  async run(call) {
    const { item, version } = await withHosted(call, (client) => getOrganization(client, call))
    await confirm(call, `Suspend the organization ${label(item)}?`)
    await withHosted(call, ({ operatorOrganizations }) =>
      operatorOrganizations.suspend(item.id, textFlag(call.flags, 'reason'), { ifMatch: version }),
    )
    await printChange(call, { action: 'suspended', kind: 'organization', item })
    return EXIT.ok
  },
}

const resume: Command = {
  args: ['NAME'],
  flags: HOSTED_FLAGS,
  details: [OPERATOR_ONLY],
  examples: [{ command: 'countersign organizations resume acme', description: 'its tokens are accepted again' }],
  async run(call) {
    const { item, version } = await withHosted(call, (client) => getOrganization(client, call))
    await withHosted(call, ({ operatorOrganizations }) => operatorOrganizations.resume(item.id, { ifMatch: version }))
    await printChange(call, { action: 'resumed', kind: 'organization', item })
    return EXIT.ok
  },
}

/** The flag of each quota. */
const QUOTA_FLAGS = {
  networks: 'networks',
  accounts: 'accounts',
  providers: 'providers',
  clientsPerAccount: 'clients-per-account',
} as const satisfies Record<keyof OrganizationQuotaChanges, string>
const DEFAULT = 'default'

const quotas: Command = {
  args: ['NAME'],
  flags: [
    ...HOSTED_FLAGS,
    ...Object.values(QUOTA_FLAGS).map((name) => ({
      name,
      value: 'NUMBER',
      description: `Set this quota; ${DEFAULT} for the default`,
    })),
  ],
  details: [OPERATOR_ONLY, 'Without a flag for a quota it shows the quotas.'],
  examples: [
    { command: 'countersign organizations quotas acme', description: 'show them' },
    { command: 'countersign organizations quotas acme --networks 50 --accounts default', description: 'set two' },
  ],
  async run(call) {
    const changes = readChanges(call)
    const shown = await withHosted(call, async (client) => {
      const { item, version } = await getOrganization(client, call)
      const { operatorOrganizations } = client
      return Object.keys(changes).length === 0
        ? operatorOrganizations.quotas(item.id)
        : operatorOrganizations.setQuotas(item.id, changes, { ifMatch: version })
    })
    await printObject(call, shown, () => call.args[0])
    return EXIT.ok
  },
}

function readChanges({ flags }: Call): OrganizationQuotaChanges {
  const given = Object.entries(QUOTA_FLAGS).flatMap(([member, flag]) => {
    const text = flags[flag]
    if (text === undefined) return []
    const value = text === DEFAULT ? null : Number(text)
    if (value === null || (Number.isInteger(value) && value >= 0)) return [[member, value]]
    throw usageError(`--${flag} must be a number or "${DEFAULT}"`, `write --${flag} NUMBER`)
  })
  return Object.fromEntries(given)
}

async function getOrganization({ operatorOrganizations }: HostedClient, { args: [wanted = ''] }: Call) {
  const all = await collect(operatorOrganizations.list())
  const found = all.find((organization) => organization.label === wanted) ?? findByNameOrId(all, wanted, 'organization')
  if (found) return operatorOrganizations.getVersioned(found.id)
  const hint = '"countersign organizations list" shows all'
  throw new CliError(`there is no organization "${wanted}"`, { hint, exitCode: EXIT.notFound })
}

/** `countersign organizations …` */
export const organizations = { list, show, suspend, resume, quotas }
