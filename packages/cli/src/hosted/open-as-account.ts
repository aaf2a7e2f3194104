import { CliError, EXIT } from '../cli-error.ts'
import type { Call } from '../command.ts'
import { atEnd } from '../end-tasks.ts'
import type { OpenedController } from '../session/opened-controller.ts'
import { isSdkError } from '../to-cli-error.ts'
import type { Caller } from './find-caller.ts'
import { createHostedClient, openHostedApi } from './hosted-api.ts'

const UNAUTHORIZED = 401
/** Ending the session is not worth more: it expires. */
const LOGOUT_TIMEOUT_MS = 2_000

/** The controller behind the hosted API, with a session in exchange for the account's token. The session ends with the command. */
export async function openAsAccount(call: Call, caller: Caller): Promise<OpenedController> {
  const api = await openHostedApi(call)
  const hosted = createHostedClient(call, caller, api)
  const client = await hosted.connectLocal()
  call.terminal.debug(`logged in by exchange of the token from ${caller.source}`)
  atEnd(call, async () => {
    if (client.session !== undefined) await client.logOut({ timeoutMs: LOGOUT_TIMEOUT_MS })
  })
  return {
    client,
    url: api.url,
    method: 'api-account',
    async explain(work) {
      try {
        return await work
      } catch (error) {
        if (!isSdkError(error) || error.status !== UNAUTHORIZED) throw error
        // Throws the reason when the account itself is refused by now.
        const { name, role } = await hosted.self()
        throw new CliError(`the API account ${name} has the role ${role}, which is not allowed to do that`, {
          hint: 'use an account with another role, or ask an administrator to change this one’s',
          exitCode: EXIT.refused,
          cause: error,
        })
      }
    },
  }
}
