import { type LogoutBody, LogoutToken, type SecurityEventBody, SecurityEventToken } from '@countersign/contract'
import type { BackchannelLogout } from '../../login/channels/backchannel-logout.ts'
import type { SharedSignals } from '../../login/channels/shared-signals.ts'
import { type ChannelName, channelPaths } from '../api-paths.ts'
import type { Call } from '../pipeline/call.ts'
import type { Route, RouteResponse } from '../pipeline/route.ts'
import { describe } from '../pipeline/route-note.ts'

interface ProviderChannelRouteParts {
  readonly backchannelLogout: Pick<BackchannelLogout, 'receive'>
  readonly sharedSignals: Pick<SharedSignals, 'receive'>
}

/** The calls of identity providers. Anonymous: the token in the body proves its sender. */
export function providerChannelRoutes({ backchannelLogout, sharedSignals }: ProviderChannelRouteParts): Route[] {
  const row = (name: ChannelName, rest: Pick<Route, 'body' | 'note' | 'handle'>): Route => ({
    method: 'POST',
    paths: channelPaths(name),
    access: 'anonymous',
    rate: 'attempt',
    bodyCap: 'anonymous',
    // An empty response fits every `Accept`.
    produces: 'text/plain',
    ...rest,
  })

  return [
    row('backchannel-logout', {
      body: { schema: LogoutToken, optional: false, form: true },
      note: describe.empty(200, 'The token was accepted', 'End the sessions that a logout token names', {
        description: 'OpenID Connect Back-Channel Logout 1.0. Errors have the members `error` and `error_description`.',
      }),
      handle: async (call) => {
        await backchannelLogout.receive((call.body as LogoutBody).logout_token, channelRequest(call))
        return empty(200)
      },
    }),
    row('events', {
      body: { schema: SecurityEventToken, optional: false, text: SECEVENT },
      note: describe.empty(202, 'The token was accepted', 'Receive a security event of the identity provider', {
        description: 'Shared Signals, by push (RFC 8935). Errors have the members `err` and `description`.',
      }),
      handle: async (call) => {
        // Some transmitters end the body with a newline.
        const token = (call.body as SecurityEventBody).token.trimEnd()
        const result = await sharedSignals.receive(token, channelRequest(call))
        // A token that is sent again counts as a failed attempt: its sender need not be the provider.
        return { ...empty(202), isRefusal: result === 'replayed' }
      },
    }),
  ]
}

function channelRequest({ requestId, params, clientAddress, source }: Call) {
  return { id: requestId, signerId: params.id ?? '', clientAddress, source }
}

const SECEVENT = { types: ['application/secevent+jwt'], member: 'token', isOnly: true } as const

const NOTHING = { content: Buffer.alloc(0), type: 'text/plain' }

function empty(status: number): RouteResponse {
  return { status, headers: { 'cache-control': 'no-store' }, bytes: NOTHING }
}
