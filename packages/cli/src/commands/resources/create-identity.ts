import type { ControllerClient } from '@countersign/sdk'
import { CliError, EXIT, usageError } from '../../cli-error.ts'
import type { Call, Command } from '../../command.ts'
import { fileNameFor } from '../../files/file-name-for.ts'
import { withSecretFiles } from '../../files/secret-files.ts'
import { printChange } from '../../output/print-change.ts'
import { buildBody, buildFieldFlags } from '../../resources/field-flags.ts'
import { getItem } from '../../resources/get-item.ts'
import { CAS, IDENTITIES } from '../../resources/kinds.ts'
import { mergeMembers } from '../../resources/merge-members.ts'
import { resolveReferences } from '../../resources/references.ts'
import { CALL_FLAGS } from '../../session/call-flags.ts'
import { withController } from '../../session/with-controller.ts'

/** `countersign identities create`: create an identity, optionally with a one-time enrollment token. */
export const createIdentity: Command = {
  args: ['NAME'],
  flags: [
    ...CALL_FLAGS,
    { name: 'enroll', description: 'Create a one-time token for a certificate, in NAME.jwt' },
    {
      name: 'enroll-username',
      value: 'NAME',
      description: 'Create a one-time token for a password, with this user name',
    },
    {
      name: 'enroll-ca',
      value: 'CA',
      description: 'Create a one-time token that requires a certificate of this third-party CA',
    },
    { name: 'enroll-file', value: 'FILE', description: 'Write the one-time token to this file' },
    ...buildFieldFlags(IDENTITIES.fields),
  ],
  details: ['The one-time token lets its holder act as the identity. Its file is readable only by you.'],
  examples: [
    {
      command: 'countersign identities create laptop-7 --attribute sales --enroll',
      description: 'with a one-time token in laptop-7.jwt',
    },
    {
      command: 'countersign identities create frank --enroll-username frank',
      description: 'who sets a password with the token in frank.jwt',
    },
    {
      command: 'countersign identities create printer-3 --enroll-ca devices',
      description: 'which enrolls with a certificate of the CA devices',
    },
    {
      command: 'countersign identities create erin --external-id erin@acme.example',
      description: 'who logs in at an identity provider',
    },
  ],
  async run(call) {
    const [name = ''] = call.args
    const { 'enroll-file': file = fileNameFor(name, 'jwt') } = call.flags
    const enrollment = readEnrollment(call)
    const isEnrolled = enrollment !== undefined
    const members = { ...(await buildBody(call, IDENTITIES, ['enrollment'])), name }
    const files = { paths: isEnrolled ? [String(file)] : [], replace: false }
    const id = await withSecretFiles(call, files, async (save) => {
      const { created, jwt } = await withController(call, async (client) => {
        const body = await resolveReferences(client, IDENTITIES, mergeMembers(IDENTITIES.defaults, members))
        const ordered = enrollment && { enrollment: await withCaId(client, enrollment) }
        const created = await IDENTITIES.open(client).create({ ...body, ...ordered })
        const enrollments = isEnrolled ? await client.identities.enrollments(created) : []
        return { created, jwt: enrollments[0]?.jwt }
      })
      if (jwt) save(`${jwt}\n`)
      else if (isEnrolled)
        throw new CliError(`the identity ${name} was created, but it has no one-time token`, {
          hint: 'check its enrollments',
        })
      return created
    })
    await printChange(call, {
      action: 'created',
      kind: 'identity',
      item: { id, name },
      ...(isEnrolled && { members: { enrollFile: file }, ending: `; its one-time token is in ${String(file)}` }),
    })
    return EXIT.ok
  },
}

type NewEnrollment = { readonly ott: true } | { readonly updb: string } | { readonly ottca: string }

/** The `enrollment` member of the new identity, with the name or id of a CA; undefined when no flag requests a token. */
function readEnrollment({ flags }: Call): NewEnrollment | undefined {
  const { enroll, 'enroll-username': username, 'enroll-ca': ca, 'enroll-file': file } = flags
  const given = ['enroll', 'enroll-username', 'enroll-ca'].filter((flag) => flags[flag] !== undefined)
  if (given.length > 1) {
    const names = given.map((flag) => `--${flag}`).join(' and ')
    throw usageError(`${names} exclude each other`, 'a token is for a certificate or a password')
  }
  if (typeof username === 'string') return { updb: username }
  if (typeof ca === 'string') return { ottca: ca }
  return enroll === true || file !== undefined ? { ott: true } : undefined
}

async function withCaId(client: ControllerClient, enrollment: NewEnrollment): Promise<NewEnrollment> {
  if (!('ottca' in enrollment)) return enrollment
  return { ottca: (await getItem(CAS, CAS.open(client), enrollment.ottca)).id }
}
