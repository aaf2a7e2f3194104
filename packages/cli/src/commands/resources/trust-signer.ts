import type { Signer } from '@countersign/sdk'
import { EXIT } from '../../cli-error.ts'
import type { Command } from '../../command.ts'
import { getItem } from '../../resources/get-item.ts'
import { SIGNERS } from '../../resources/kinds.ts'
import { CALL_FLAGS, YES_FLAG } from '../../session/call-flags.ts'
import { confirm } from '../../session/confirm.ts'
import { withController } from '../../session/with-controller.ts'

/** `countersign signers trust NAME`: shows the signer, and trusts the version that was shown. */
export const trustSigner: Command = {
  args: ['NAME'],
  flags: [...CALL_FLAGS, YES_FLAG],
  details: [
    'Shows the issuer, the keys and who wrote the signer last. Nothing is changed when it has been changed in the meantime.',
  ],
  examples: [
    { command: 'countersign signers trust keycloak', description: 'by name or id' },
    { command: 'countersign signers trust keycloak --yes', description: 'without asking' },
  ],
  async run(call) {
    const nameOrId = call.args[0] ?? ''
    const { item, version } = await withController(call, async (client) => {
      const { id } = await getItem(SIGNERS, SIGNERS.open(client), nameOrId)
      return client.signers.getVersioned(id)
    })
    for (const [title, text] of summarize(item)) call.terminal.notice(`${title.padEnd(TITLE_WIDTH)} ${text}`)
    await confirm(call, `Trust the signer ${nameOrId}? Its tokens can then log in administrators.`)
    await withController(call, (client) => client.signers.trust(item.id, { ifMatch: version }))
    call.terminal.out(`trusted signer ${nameOrId}`)
    return EXIT.ok
  },
}

const TITLE_WIDTH = 17

/** What decides whether the signer's tokens can be trusted. */
function summarize({ issuer, audience, additionalAudiences, trust, ...signer }: Signer): [string, string][] {
  const { jwksEndpoint, fingerprint, claimsProperty, useExternalId } = signer
  return [
    ['Issuer:', issuer],
    ['Audiences:', [audience, ...additionalAudiences].join(' ')],
    ['Keys:', jwksEndpoint ?? `certificate ${fingerprint}`],
    ['Identity:', `${useExternalId ? 'externalId' : 'id'} = ${claimsProperty}`],
    ['Last written by:', `${trust.writtenBy?.name ?? 'unknown'}, ${trust.writtenAt}`],
  ]
}
