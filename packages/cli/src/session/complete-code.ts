import type { ControllerClient, CurrentApiSession, OneTimeCodes } from '@countersign/sdk'
import { CliError, EXIT } from '../cli-error.ts'
import type { Call } from '../command.ts'
import { isSdkError } from '../to-explained.ts'

interface Lacking {
  readonly call: Call
  readonly client: ControllerClient
  readonly session: CurrentApiSession
  /** Gets a code from stdin, or from the person. */
  readonly ask: () => Promise<string>
}

/** Shows the one-time code that a session asks for, if it does. A person whom a policy asks for the first time sets them up. */
export async function completeCode({ call, client, session, ask }: Lacking): Promise<void> {
  const query = session.authQueries.find(({ typeId }) => typeId === 'MFA')
  if (!query) return
  if (query.isTotpEnrolled !== false) return client.completeWithCode((await ask()).trim())
  if (!call.input.isInteractive) {
    throw new CliError(`the policy of ${session.identity.name} wants one-time codes, which are not set up yet`, {
      hint: `log in at a terminal, or at ${client.baseUrl}/console/, to set them up`,
      exitCode: EXIT.refused,
    })
  }
  showSecret(call, await beginOrGoOn(client))
  await client.oneTimeCodes.verify((await ask()).trim())
}

/** Somebody may have begun before and not gone on. */
async function beginOrGoOn(client: ControllerClient): Promise<OneTimeCodes> {
  try {
    return await client.oneTimeCodes.get()
  } catch (error) {
    if (!isSdkError(error) || error.status >= 500 || error.status === 0) throw error
    return client.oneTimeCodes.setUp()
  }
}

/** A person has to write this down; it goes where questions go, not into the result. */
function showSecret({ terminal }: Call, { provisioningUrl = '', recoveryCodes }: OneTimeCodes): void {
  const secret = new URL(provisioningUrl).searchParams.get('secret') ?? ''
  terminal.tell('Your policy asks for one-time codes from an app. Add this account to the app:')
  terminal.tell(`  ${provisioningUrl}`)
  terminal.tell(`  or by hand: ${secret}`)
  terminal.tell('Keep these recovery codes; each signs in once without the app:')
  terminal.tell(`  ${(recoveryCodes ?? []).join(' ')}`)
}
