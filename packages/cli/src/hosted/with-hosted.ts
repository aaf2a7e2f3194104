import { ControllerClient, type HostedClient, tradeToken } from '@countersign/sdk'
import { CliError, EXIT } from '../cli-error.ts'
import type { Call, Flag } from '../command.ts'
import { ACCOUNT_FLAGS, SHARED_FLAGS } from '../session/call-flags.ts'
import { explainUnauthorized } from '../session/explain-unauthorized.ts'
import { withProgress } from '../with-progress.ts'
import { type Caller, getCaller } from './find-caller.ts'
import { createHostedClient, findHostedAddress, type HostedApi, loadAccessToken, openHostedApi } from './hosted-api.ts'

/** The flags of all commands for the hosted API. */
export const HOSTED_FLAGS: readonly Flag[] = [...SHARED_FLAGS, ...ACCOUNT_FLAGS]

/** The caller's access token; with `--trade` one of the hosted API in exchange for it. */
export async function getAccessToken(call: Call): Promise<string> {
  const caller = await getCaller(call, findHostedAddress(call)?.url)
  const load = async (): Promise<string> => {
    const token = await loadAccessToken(call, caller, () => openHostedApi(call))
    if (call.flags.trade !== true) return token
    const { url, fetch } = await openHostedApi(call)
    return (await tradeToken({ hostedUrl: url, fetch, token })).token
  }
  return withProgress(call.terminal, 'waiting for the identity provider…', load())
}

/** Runs `work` with a client of the hosted API. `about` names the caller and the address. */
export async function withHosted<T>(
  call: Call,
  work: (client: HostedClient, about: { readonly url: string; readonly caller: Caller }) => Promise<T>,
): Promise<T> {
  const caller = await getCaller(call, findHostedAddress(call)?.url)
  const api = await openHostedApi(call)
  const { url } = api
  const running = work(createHostedClient(call, caller, api), { url, caller })
  const explained = 'session' in caller ? explainHostedUnauthorized(call, api, caller.session, running) : running
  return withProgress(call.terminal, `waiting for ${url}…`, explained)
}

/** The hosted API accepts no second token beside a session, since it would authenticate by that token alone. */
function explainHostedUnauthorized<T>(call: Call, api: HostedApi, session: string, work: Promise<T>): Promise<T> {
  const controller = new ControllerClient({ baseUrl: api.url, fetch: api.fetch, session })
  return explainUnauthorized(call, controller, work, (typeId) => (typeId === 'EXT-JWT' ? noSecondTokens() : undefined))
}

function noSecondTokens(): CliError {
  return new CliError('your policy requires a second token on every call, which the hosted API does not accept', {
    hint: 'use an API account: name its credentials file with --credentials or COUNTERSIGN_CREDENTIALS',
    exitCode: EXIT.notLoggedIn,
  })
}
