import type { ControllerClient } from '@countersign/sdk'
import { CliError, EXIT, usageError } from '../cli-error.ts'
import type { Call, Flag } from '../command.ts'
import { fileNameFor } from '../files/file-name-for.ts'
import { withSecretFiles } from '../files/secret-files.ts'
import { printChange } from '../output/print-change.ts'
import { withController } from '../session/with-controller.ts'
import type { Item } from './resource-kind.ts'

const DEFAULT_MINUTES = 180
const MS_PER_MINUTE = 60_000

/** The flags of commands that issue a one-time token. */
export const TOKEN_FLAGS: readonly Flag[] = [
  { name: 'minutes', value: 'N', description: `How long the new token is valid [${DEFAULT_MINUTES}]` },
  { name: 'out', value: 'FILE', description: 'Write the token to this file [IDENTITY.jwt]' },
]

/** When a new token expires, by `--minutes`. */
export function readExpiry({ flags: { minutes } }: Call): Date {
  const count = Number(minutes ?? DEFAULT_MINUTES)
  if (Number.isInteger(count) && count > 0) return new Date(Date.now() + count * MS_PER_MINUTE)
  throw usageError('--minutes must be a whole number above 0', `got "${String(minutes)}"`)
}

interface Issue {
  /** The enrollment or authenticator of an identity. */
  readonly item: Item
  readonly action: string
  readonly kind: string
  /** Creates the token and returns the id of its enrollment. */
  issue(client: ControllerClient): Promise<string>
}

/** Issues a one-time token and writes it to its file, which is reserved first. Replaces the file of the token before it. */
export async function writeOneTimeToken(call: Call, { item, action, kind, issue }: Issue): Promise<number> {
  const { name: owner } = item.identity as { readonly name: string }
  const { out = fileNameFor(owner, 'jwt') } = call.flags
  const enrollment = await withSecretFiles(call, { paths: [String(out)], replace: true }, async (save) => {
    const issued = await withController(call, async (client) => client.enrollments.get(await issue(client)))
    if (issued.jwt === undefined) {
      throw new CliError('the token was renewed, but this login does not see it', {
        hint: 'log in as a caller with the permission enrollment.update',
        exitCode: EXIT.refused,
      })
    }
    save(`${issued.jwt}\n`)
    return issued
  })
  const { id, expiresAt } = enrollment
  await printChange(call, {
    action,
    kind,
    item: { id: item.id },
    members: { enrollmentId: id, identity: owner, expiresAt, enrollFile: out },
    ending: ` of ${owner}; its one-time token is in ${String(out)}, valid until ${expiresAt}`,
  })
  return EXIT.ok
}
