import { PROVIDER_KINDS } from '@countersign/contract/provider-kind'
import type { HostedClient, IdentityProvider, ProviderChanges, ProviderInput } from '@countersign/sdk'
import { CliError, EXIT, usageError } from '../../cli-error.ts'
import { collect } from '../../collect.ts'
import type { Call, Command, Flag } from '../../command.ts'
import { getSourceName, loadTextArgument } from '../../files/load-text-file.ts'
import { selectItems } from '../../hosted/select-items.ts'
import { HOSTED_FLAGS, withHosted } from '../../hosted/with-hosted.ts'
import { printChange } from '../../output/print-change.ts'
import { getFormat, printData, printList, printObject } from '../../output/print-result.ts'
import { findByNameOrId, label } from '../../resources/find-by-name-or-id.ts'
import { LIST_FLAGS, readListOptions } from '../../resources/list-options.ts'
import { YES_FLAG } from '../../session/call-flags.ts'
import { confirm } from '../../session/confirm.ts'

const list: Command = {
  args: [],
  flags: [...HOSTED_FLAGS, ...LIST_FLAGS],
  examples: [{ command: 'countersign providers list', description: 'list the identity providers of the organization' }],
  async run(call) {
    const options = readListOptions(call)
    const found = await withHosted(call, ({ providers }) => collect(providers.list()))
    await printList(call, selectItems(found, options), [
      { title: 'NAME', get: (provider: IdentityProvider) => provider.name },
      { title: 'KIND', get: ({ kind }) => kind },
      { title: 'ADMINISTRATION', get: ({ administration }) => administration?.kind ?? 'manual' },
      { title: 'ENABLED', get: ({ enabled }) => enabled },
      { title: 'ISSUER', get: ({ issuer }) => issuer },
      { title: 'ID', get: ({ id }) => id, isWhole: true },
    ])
    return EXIT.ok
  },
}

const show: Command = {
  args: ['NAME'],
  flags: HOSTED_FLAGS,
  examples: [{ command: 'countersign providers show sso -o yaml', description: 'by name or id' }],
  async run(call) {
    await printObject(call, await withHosted(call, (client) => getProvider(client, call.args[0] ?? '')))
    return EXIT.ok
  },
}

/** The flags of members with a text, and their members. */
const TEXT_FLAGS = {
  issuer: { name: 'issuer', value: 'URL', description: 'The exact issuer of its tokens' },
  kind: { name: 'kind', value: 'KIND', choices: PROVIDER_KINDS, description: 'cognito, auth0 or oidc [oidc]' },
  audience: { name: 'audience', value: 'TEXT', description: 'The audience of its tokens; user pools have none' },
  requiredScope: { name: 'required-scope', value: 'TEXT', description: 'The scope that tokens must have' },
  jwksUri: { name: 'jwks-uri', value: 'URL', description: 'Its key set [from the discovery document]' },
  tokenUrl: { name: 'token-url', value: 'URL', description: 'Its token endpoint [from the discovery document]' },
} as const satisfies Partial<Record<keyof ProviderInput, Flag>>

const MEMBER_FLAGS: readonly Flag[] = [
  ...Object.values(TEXT_FLAGS),
  {
    name: 'administration',
    value: 'FILE',
    description: 'JSON with the member administration, which has a secret; - reads stdin',
  },
]

function readTexts({ flags }: Call): Readonly<Record<string, string>> {
  const given = Object.entries(TEXT_FLAGS).flatMap(([member, { name }]) =>
    typeof flags[name] === 'string' ? [[member, flags[name]]] : [],
  )
  return Object.fromEntries(given)
}

const create: Command = {
  args: ['NAME'],
  flags: [...HOSTED_FLAGS, ...MEMBER_FLAGS],
  examples: [
    {
      command:
        'countersign providers create sso --issuer https://sso.example.com/realms/acme --audience network-api --administration admin.json',
      description: 'let the controller create API accounts at a Keycloak',
    },
    {
      command:
        'countersign providers create cluster --issuer https://cluster.example.com --jwks-uri https://keys.example.com/cluster',
      description: 'trust a cluster whose issuer the controller cannot reach',
    },
  ],
  async run(call) {
    const [name = ''] = call.args
    const { issuer } = call.flags
    if (typeof issuer !== 'string') throw usageError('the issuer is missing', 'write --issuer URL')
    const body = {
      kind: 'oidc',
      ...readTexts(call),
      name,
      issuer,
      ...(await loadAdministration(call)),
    } as ProviderInput
    const created = await withHosted(call, ({ providers }) => providers.create(body))
    await printChange(call, { action: 'created', kind: 'provider', item: created, members: created })
    return EXIT.ok
  },
}

const update: Command = {
  args: ['NAME'],
  flags: [
    ...HOSTED_FLAGS,
    { name: 'rename', value: 'NAME', description: 'The new name' },
    ...MEMBER_FLAGS,
    { name: 'enabled', negatable: true, description: 'Accept its tokens; --no-enabled refuses them' },
  ],
  details: ['Members that are not named are kept. Secrets of the administration that the file does not have are kept.'],
  examples: [
    { command: 'countersign providers update sso --no-enabled', description: 'refuse its tokens for now' },
    {
      command: 'countersign providers update sso --administration admin.json',
      description: 'replace the credential by which the controller manages clients there',
    },
  ],
  async run(call) {
    const { rename, enabled } = call.flags
    const changes: ProviderChanges = {
      ...readTexts(call),
      ...(rename !== undefined && { name: String(rename) }),
      ...(enabled !== undefined && { enabled: enabled === true }),
      ...(await loadAdministration(call)),
    }
    if (Object.keys(changes).length === 0)
      throw usageError('there is nothing to change', '"countersign providers update --help" lists the flags')
    const provider = await withHosted(call, async (client) => {
      const { id } = await getProvider(client, call.args[0] ?? '')
      const { item, version } = await client.providers.getVersioned(id)
      await client.providers.update(id, changes, { ifMatch: version })
      return item
    })
    await printChange(call, { action: 'updated', kind: 'provider', item: provider })
    return EXIT.ok
  },
}

/** A secret does not belong on a command line. */
async function loadAdministration(call: Call): Promise<Pick<ProviderInput, 'administration'>> {
  const { administration: path } = call.flags
  if (typeof path !== 'string') return {}
  try {
    return { administration: JSON.parse(await loadTextArgument(call, path)) }
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause
    throw usageError(`${getSourceName(path)} is not JSON`, 'see docs/provider-administration.md')
  }
}

const test: Command = {
  args: ['NAME'],
  flags: HOSTED_FLAGS,
  details: [
    'Tries the administration of the provider, and says which permission is missing there. The status is 1 then.',
  ],
  examples: [{ command: 'countersign providers test sso', description: 'by name or id' }],
  async run(call) {
    const [name = ''] = call.args
    const result = await withHosted(call, async (client) => client.providers.test((await getProvider(client, name)).id))
    if (getFormat(call) !== 'table') await printData(call, result, () => name)
    else if (result.checks.length === 0)
      call.terminal.out('nothing to test: clients of this provider are created by hand')
    else {
      await printList(call, result.checks, [
        { title: 'CHECK', get: ({ name: check }) => check },
        { title: 'OK', get: ({ ok }) => ok },
        { title: 'MESSAGE', get: ({ message }) => message },
      ])
    }
    return result.ok ? EXIT.ok : EXIT.failure
  },
}

const remove: Command = {
  args: ['NAME'],
  flags: [...HOSTED_FLAGS, YES_FLAG],
  examples: [{ command: 'countersign providers delete sso --yes', description: 'by name or id, without asking' }],
  async run(call) {
    const [name = ''] = call.args
    const { item: provider, version } = await withHosted(call, async (client) =>
      client.providers.getVersioned((await getProvider(client, name)).id),
    )
    await confirm(call, `Delete the identity provider ${label(provider)}?`)
    await withHosted(call, ({ providers }) => providers.delete(provider.id, { ifMatch: version }))
    await printChange(call, { action: 'deleted', kind: 'provider', item: provider })
    return EXIT.ok
  },
}

async function getProvider(client: HostedClient, nameOrId: string): Promise<IdentityProvider> {
  const found = findByNameOrId(await collect(client.providers.list()), nameOrId, 'provider')
  if (found) return found
  throw new CliError(`there is no identity provider "${nameOrId}"`, {
    hint: '"countersign providers list" shows all',
    exitCode: EXIT.notFound,
  })
}

/** `countersign providers …` */
export const providers = { list, show, create, update, test, delete: remove }
