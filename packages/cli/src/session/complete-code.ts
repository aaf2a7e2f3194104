import type { ControllerClient, CurrentApiSession, OneTimeCodes } from '@countersign/sdk'
import { CliError, EXIT } from '../cli-error.ts'
import type { Call } from '../command.ts'
import { isSdkError } from '../to-cli-error.ts'

interface CodeInput {
  readonly call: Call
  readonly client: ControllerClient
  readonly session: CurrentApiSession
  /** Reads a code from stdin or a prompt. */
  readonly ask: () => Promise<string>
}

/** Completes a session that needs a one-time code. Sets up one-time codes first when the policy requires them and there are none. */
export async function completeCode({ call, client, session, ask }: CodeInput): Promise<void> {
  const query = session.authQueries.find(({ typeId }) => typeId === 'MFA')
  if (!query) return
  if (query.isTotpEnrolled !== false) return client.completeWithCode((await ask()).trim())
  if (!call.input.isInteractive) {
    throw new CliError(`the policy of ${session.identity.name} requires one-time codes, which are not set up yet`, {
      hint: `log in at a terminal, or at ${client.baseUrl}/console/, to set them up`,
      exitCode: EXIT.refused,
    })
  }
  showSecret(call, await getOrStartSetup(client))
  await client.oneTimeCodes.verify((await ask()).trim())
}

/** Resumes a setup that this session started but did not verify. */
async function getOrStartSetup(client: ControllerClient): Promise<OneTimeCodes> {
  try {
    return await client.oneTimeCodes.get()
  } catch (error) {
    if (!isSdkError(error) || error.status >= 500 || error.status === 0) throw error
    return client.oneTimeCodes.setUp()
  }
}

/** Goes to stderr like prompts, not into the result. */
function showSecret({ terminal }: Call, { provisioningUrl = '', recoveryCodes }: OneTimeCodes): void {
  const secret = new URL(provisioningUrl).searchParams.get('secret') ?? ''
  terminal.notice('Your policy requires one-time codes from an authenticator app. Add this account to the app:')
  terminal.notice(`  ${provisioningUrl}`)
  terminal.notice(`  or enter the secret: ${secret}`)
  terminal.notice('Save these recovery codes; each works once in place of a code:')
  terminal.notice(`  ${(recoveryCodes ?? []).join(' ')}`)
}
