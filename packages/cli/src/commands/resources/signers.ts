import type { ControllerClient, PushedKeySet } from '@countersign/sdk'
import { EXIT } from '../../cli-error.ts'
import type { Command } from '../../command.ts'
import { getFormat, printObject } from '../../output/print-result.ts'
import { createEditCommand } from '../../resources/edit-command.ts'
import { getItem } from '../../resources/get-item.ts'
import { SIGNERS } from '../../resources/kinds.ts'
import { describePendingKeys } from '../../resources/pending-keys.ts'
import {
  createActionCommand,
  createDeleteCommand,
  createListCommand,
  createShowCommand,
} from '../../resources/read-commands.ts'
import { completeFromSource, SOURCE_FLAGS, SOURCE_HELP } from '../../resources/signer-source.ts'
import { createTrustCommand } from '../../resources/trust-command.ts'
import { printWarnings } from '../../resources/warnings.ts'
import { createCreateCommand, createUpdateCommand } from '../../resources/write-commands.ts'
import { CALL_FLAGS, YES_FLAG } from '../../session/call-flags.ts'
import { confirm } from '../../session/confirm.ts'
import { withController } from '../../session/with-controller.ts'
import { isSdkError } from '../../to-cli-error.ts'

const refresh: Command = {
  args: ['NAME'],
  flags: CALL_FLAGS,
  examples: [
    { command: 'countersign signers refresh keycloak', description: 'fetch the keys now and show the result' },
  ],
  async run(call) {
    const status = await withController(call, async (client) =>
      client.signers.refreshKeys((await getItem(SIGNERS, SIGNERS.open(client), call.args[0] ?? '')).id),
    )
    await printObject(call, status, () => call.args[0])
    return status.lastError ? EXIT.failure : EXIT.ok
  },
}

const discover: Command = {
  args: ['ISSUER'],
  flags: CALL_FLAGS,
  examples: [
    {
      command: 'countersign signers discover https://acme.us.auth0.com/ -o yaml',
      description: 'print the members of a signer, for create',
    },
  ],
  async run(call) {
    const found = await withController(call, (client) => client.signers.discover(call.args[0] ?? ''))
    await printObject(call, found, () => call.args[0])
    return EXIT.ok
  },
}

const pushKeys: Command = {
  args: ['NAME'],
  flags: [
    ...CALL_FLAGS,
    { name: 'from', value: 'URL', description: 'Where the provider publishes its keys (JWKS), as seen from here' },
    {
      name: 'from-ca',
      value: 'FILE',
      description: 'An additional certificate authority to trust for that URL, in PEM',
    },
    {
      name: 'from-authorization',
      value: 'FILE',
      description: 'Send the header Authorization in this file to that URL',
    },
  ],
  details: [
    'Fetches the keys here, where the provider can be reached, and pushes them to the controller, which cannot reach it. Run it more often',
    'than half of the age that the signer allows (pushedKeys.maxAgeSeconds); deploy/ has a systemd timer and a Kubernetes CronJob.',
    'Needs the permissions external-jwt-signer.read and external-jwt-signer.push-keys. Keys that are not pinned take the trust from the signer,',
    'unless an administrator pushes them.',
  ],
  examples: [
    {
      command: 'countersign signers push-keys plant --from https://sso.plant.internal/certs --credentials account.json',
      description: 'push the keys of a provider in this network, as an API account',
    },
  ],
  async run(call) {
    const [name = ''] = call.args
    const { loadKeySet } = await import('../../net/load-key-set.ts')
    const keySet = await loadKeySet(call)
    const { keyStatus, trust } = await withController(call, async (client) => {
      const { id } = await getItem(SIGNERS, SIGNERS.open(client), name)
      const pushed = await pushLatest(client, id, keySet)
      return { ...pushed, trust: (await client.signers.get(id)).trust }
    })
    await printObject(call, keyStatus, () => name)
    printWarnings(call, SIGNERS, name, [...keyStatus.warnings, ...(trust.state === 'untrusted' ? [UNTRUSTED] : [])])
    return keyStatus.stale ? EXIT.failure : EXIT.ok
  },
}

type PushedKeys = Awaited<ReturnType<ControllerClient['signers']['pushKeys']>>

const MAX_PUSHES = 3
const UNTRUSTED =
  'it is not trusted, so its tokens log in no administrator: pin the keys, and let an administrator run "countersign signers trust"'

/** The signer may change between reading its version and pushing: other jobs push too. */
async function pushLatest(client: ControllerClient, id: string, keySet: PushedKeySet): Promise<PushedKeys> {
  for (let triesLeft = MAX_PUSHES; ; triesLeft -= 1) {
    const { version } = await client.signers.getVersioned(id)
    try {
      return await client.signers.pushKeys(id, keySet, { ifMatch: version })
    } catch (error) {
      if (!isSdkError(error) || error.status !== 412 || triesLeft === 1) throw error
    }
  }
}

const confirmKeys: Command = {
  args: ['NAME'],
  flags: [...CALL_FLAGS, YES_FLAG],
  details: [
    'Shows the keys that wait, since they share none with the earlier ones, and uses them after a confirmation.',
  ],
  examples: [
    { command: 'countersign signers confirm-keys keycloak', description: 'use the keys that wait for a confirmation' },
  ],
  async run(call) {
    const [name = ''] = call.args
    const { id, known } = await withController(call, async (client) => {
      const item = await client.signers.get((await getItem(SIGNERS, SIGNERS.open(client), name)).id)
      return { id: item.id, known: item.keyStatus }
    })
    const pending = known.pendingKeys ?? []
    if (pending.length === 0) {
      call.terminal.note(`no keys of the signer ${name} wait for a confirmation`)
      if (getFormat(call) !== 'table') await printObject(call, known, () => name)
      return EXIT.ok
    }
    call.terminal.notice(`These keys of the signer ${name} wait, each with its thumbprint first:`)
    for (const line of describePendingKeys(pending)) call.terminal.notice(`  ${line}`)
    await confirm(call, 'Use them in place of its earlier keys?')
    const thumbprints = pending.map(({ thumbprint }) => thumbprint)
    const { keyStatus } = await withController(call, (client) => client.signers.confirmKeys(id, { thumbprints }))
    await printObject(call, keyStatus, () => name)
    return EXIT.ok
  },
}

/** `countersign signers …` */
export const signers = {
  list: createListCommand(SIGNERS),
  show: createShowCommand(SIGNERS),
  create: createCreateCommand(SIGNERS, {
    flags: SOURCE_FLAGS,
    details: SOURCE_HELP,
    complete: completeFromSource,
    examples: [
      {
        command:
          'countersign signers create staff --preset keycloak --url https://sso.example --realm acme --client-id overlay',
        description: 'fill the members for a provider',
      },
      {
        command: 'countersign signers create staff --discover https://sso.example/realms/acme --audience overlay',
        description: 'read the members from the discovery document of an issuer',
      },
      {
        command:
          'countersign signers create keycloak --issuer https://sso.example/realms/acme --audience overlay --jwks-endpoint https://sso.example/realms/acme/protocol/openid-connect/certs',
        description: 'trust the tokens of a provider',
      },
      { command: 'countersign signers create keycloak -f signer.yaml', description: 'read the members from a file' },
    ],
  }),
  update: createUpdateCommand(SIGNERS, '--audience overlay'),
  edit: createEditCommand(SIGNERS),
  enable: createActionCommand(SIGNERS, {
    verb: 'enable',
    done: 'enabled',
    act: (client, { id }) => client.signers.patch(id, { enabled: true }),
  }),
  disable: createActionCommand(SIGNERS, {
    verb: 'disable',
    done: 'disabled',
    act: (client, { id }) => client.signers.patch(id, { enabled: false }),
  }),
  trust: createTrustCommand(SIGNERS, {
    open: ({ signers: all }) => all,
    effect: 'Its tokens can then log in administrators.',
    example: 'keycloak',
  }),
  delete: createDeleteCommand(SIGNERS),
  refresh,
  pushKeys,
  confirmKeys,
  discover,
}
