import { AppError } from '@countersign/core'
import type { ReportedRequest } from '../events/reported-request.ts'
import type { LiveSession } from '../session/live-sessions.ts'
import { getExistingNetwork } from '../store/reads/network-reads.ts'
import type { Store } from '../store/store.ts'
import type { HostedCaller } from './hosted-caller.ts'
import type { SessionExchange } from './session-exchange.ts'

export interface ExchangeOnNetworkParts {
  readonly store: Pick<Store, 'db'>
  readonly sessionExchange: Pick<SessionExchange, 'exchange'>
  /** Every new session is reported here. */
  readonly logins: { accepted(session: LiveSession, request: ReportedRequest): void }
}

/** Starts a session on the network's controller for the caller. Throws NOT_THIS_CONTROLLER when the network has another controller. */
export async function exchangeOnNetwork(
  { store, sessionExchange, logins }: ExchangeOnNetworkParts,
  caller: HostedCaller,
  { networkId, request }: { readonly networkId: string; readonly request: ReportedRequest & { clientAddress: string } },
): Promise<{ readonly token: string; readonly session: LiveSession }> {
  const network = await getExistingNetwork(store.db, caller.organizationId, networkId)
  if (!network.is_local) throw new AppError('NOT_THIS_CONTROLLER')
  const started = await sessionExchange.exchange(caller, request)
  logins.accepted(started.session, { id: request.id, remoteAddr: request.remoteAddr })
  return started
}
