import { clientNetwork, type Paging, type PagingOptions, resolvePaging } from '@countersign/core'
import type { Call } from './call.ts'
import { listTurn } from './list-turns.ts'

/** A call for a list. */
export type ListCall = Pick<Call, 'query' | 'session' | 'clientAddress'>

/** Who takes turns. All calls without a session together have the turns of one caller, and their networks share these out. */
export function listCallerOf({ session, clientAddress }: ListCall) {
  return session
    ? { caller: session.identity.id, sessionId: session.id }
    : { caller: '', sessionId: clientNetwork(clientAddress) }
}

/**
 * Reads the parameters of a list, and runs `step` with them, in a turn of its caller: a long filter takes milliseconds. Fails like `resolvePaging` and
 * `listTurn`.
 */
export function readPaging<Result>(
  call: ListCall,
  options: PagingOptions,
  step: (paging: Paging) => Result | Promise<Result>,
): Promise<Result> {
  const { query } = call
  const parameters = {
    filter: query.get('filter'),
    sort: query.get('sort'),
    limit: query.get('limit'),
    offset: query.get('offset'),
  }
  return listTurn({ ...listCallerOf(call), limit: 0 })(async () => step(resolvePaging(parameters, options)))
}
