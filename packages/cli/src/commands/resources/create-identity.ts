import { CliError, EXIT } from '../../cli-error.ts'
import type { Command } from '../../command.ts'
import { ensureAbsent, writePrivateFile } from '../../files/private-file.ts'
import { getFormat, printData } from '../../output/print-result.ts'
import { buildBody, buildFieldFlags } from '../../resources/field-flags.ts'
import { IDENTITIES } from '../../resources/kinds.ts'
import { mergeMembers } from '../../resources/merge-members.ts'
import { CALL_FLAGS } from '../../session/call-flags.ts'
import { withController } from '../../session/with-controller.ts'

/** `countersign identities create`: make an identity, and if wanted the token by which it enrolls. */
export const createIdentity: Command = {
  args: ['NAME'],
  flags: [
    ...CALL_FLAGS,
    { name: 'enroll', description: 'Make a one-time token for a certificate, into NAME.jwt' },
    { name: 'enroll-file', value: 'FILE', description: 'Write the one-time token here' },
    ...buildFieldFlags(IDENTITIES.fields),
  ],
  details: ['Whoever has the one-time token becomes the identity: its file is for its owner only.'],
  examples: [
    {
      command: 'countersign identities create laptop-7 --attribute sales --enroll',
      says: 'and a token in laptop-7.jwt',
    },
    {
      command: 'countersign identities create alice --external-id alice@example.com',
      says: 'who signs in at a provider',
    },
  ],
  async run(call) {
    const [name = ''] = call.args
    const { enroll, 'enroll-file': file = `${name.replace(/[^\w.@-]/g, '_')}.jwt` } = call.flags
    const isEnrolled = enroll === true || call.flags['enroll-file'] !== undefined
    if (isEnrolled) ensureAbsent(String(file))
    const members = {
      ...(await buildBody(call, IDENTITIES.fields)),
      name,
      ...(isEnrolled && { enrollment: { ott: true } }),
    }
    const { id, jwt } = await withController(call, async (client) => {
      const made = await IDENTITIES.open(client).create(mergeMembers(IDENTITIES.defaults, members))
      const enrollments = isEnrolled ? await client.identities.enrollments(made) : []
      return { id: made, jwt: enrollments.find(({ method }) => method === 'ott')?.jwt }
    })
    if (isEnrolled) {
      if (!jwt)
        throw new CliError(`the identity ${name} was made, but there is no token`, { hint: 'look at its enrollments' })
      writePrivateFile(String(file), `${jwt}\n`)
    }
    if (getFormat(call) !== 'table') await printData(call, { id, name, ...(isEnrolled && { enrollFile: file }) })
    else
      call.terminal.out(
        `created identity ${name} (${id})${isEnrolled ? `, its one-time token is in ${String(file)}` : ''}`,
      )
    return EXIT.ok
  },
}
