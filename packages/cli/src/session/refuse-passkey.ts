import type { ControllerClient, CurrentApiSession } from '@countersign/sdk'
import { CliError, EXIT } from '../cli-error.ts'
import { isSdkError } from '../to-cli-error.ts'

/** Ends a session that needs a passkey, and throws: only browsers have passkeys. */
export async function refusePasskey(
  client: ControllerClient,
  { authQueries, identity }: CurrentApiSession,
): Promise<void> {
  if (!authQueries.some(({ typeId }) => typeId === 'PASSKEY')) return
  // The session is unusable. If it cannot be ended, it expires.
  await client.logOut().catch((error: unknown) => {
    if (!isSdkError(error)) throw error
  })
  throw new CliError(`the policy of ${identity.name} requires a passkey, which this command cannot use`, {
    hint: `use ${client.baseUrl}/console/, or an identity with another policy`,
    exitCode: EXIT.refused,
  })
}
