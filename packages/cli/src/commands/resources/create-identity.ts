import { CliError, EXIT, usageError } from '../../cli-error.ts'
import type { Call, Command } from '../../command.ts'
import { withSecretFiles } from '../../files/secret-files.ts'
import { getFormat, printData } from '../../output/print-result.ts'
import { buildBody, buildFieldFlags } from '../../resources/field-flags.ts'
import { IDENTITIES } from '../../resources/kinds.ts'
import { mergeMembers } from '../../resources/merge-members.ts'
import { resolveReferences } from '../../resources/references.ts'
import { CALL_FLAGS } from '../../session/call-flags.ts'
import { withController } from '../../session/with-controller.ts'

/** `countersign identities create`: make an identity, and if wanted the token by which it enrolls. */
export const createIdentity: Command = {
  args: ['NAME'],
  flags: [
    ...CALL_FLAGS,
    { name: 'enroll', description: 'Make a one-time token for a certificate, into NAME.jwt' },
    { name: 'enroll-username', value: 'NAME', description: 'Make one for a password, to sign in under this name' },
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
      command: 'countersign identities create erika --enroll-username erika',
      says: 'who chooses a password with the token in erika.jwt',
    },
    {
      command: 'countersign identities create alice --external-id alice@example.com',
      says: 'who signs in at a provider',
    },
  ],
  async run(call) {
    const [name = ''] = call.args
    const { 'enroll-file': file = `${name.replace(/[^\w.@-]/g, '_')}.jwt` } = call.flags
    const format = getFormat(call)
    const enrollment = readEnrollment(call)
    const isEnrolled = enrollment !== undefined
    const members = {
      ...(await buildBody(call, IDENTITIES, ['enrollment'])),
      name,
      ...(isEnrolled && { enrollment }),
    }
    const places = { paths: isEnrolled ? [String(file)] : [], replace: false }
    const id = await withSecretFiles(call, places, async (keep) => {
      const { made, jwt } = await withController(call, async (client) => {
        const body = await resolveReferences(client, IDENTITIES, mergeMembers(IDENTITIES.defaults, members))
        const made = await IDENTITIES.open(client).create(body)
        const enrollments = isEnrolled ? await client.identities.enrollments(made) : []
        return { made, jwt: enrollments[0]?.jwt }
      })
      if (jwt) keep(`${jwt}\n`)
      else if (isEnrolled)
        throw new CliError(`the identity ${name} was made, but there is no token`, { hint: 'look at its enrollments' })
      return made
    })
    if (format !== 'table') await printData(call, { id, name, ...(isEnrolled && { enrollFile: file }) })
    else
      call.terminal.out(
        `created identity ${name} (${id})${isEnrolled ? `, its one-time token is in ${String(file)}` : ''}`,
      )
    return EXIT.ok
  },
}

/** What the new identity enrolls to; undefined when nothing asks for a token. */
function readEnrollment({ flags }: Call): { readonly ott: true } | { readonly updb: string } | undefined {
  const { enroll, 'enroll-username': username, 'enroll-file': file } = flags
  if (enroll === true && username !== undefined)
    throw usageError('--enroll and --enroll-username exclude each other', 'a token is for a certificate or a password')
  if (typeof username === 'string') return { updb: username }
  return enroll === true || file !== undefined ? { ott: true } : undefined
}
