import { FairQueue } from '../platform/fair-queue.ts'
import type { FetchDocument, FetchedDocument, FetchOptions } from './fetch-document.ts'

/** Fetches for a request, in the name of an organization or identity. Rejects with SERVER_TOO_MANY_REQUESTS when too many of its fetches wait. */
export type FetchInTurn = (owner: string, url: string, options: Omit<FetchOptions, 'owner'>) => Promise<FetchedDocument>

const MAX_AT_ONCE = 16
/** Beside the one that runs. Clients that create many records send about ten requests at once. */
const MAX_WAITING = 20

/** Runs the fetches of each owner one after another, because requests choose the hosts, which may be slow. */
export function createFetchInTurn(fetchDocument: FetchDocument): FetchInTurn {
  const queue = new FairQueue({ atOnce: MAX_AT_ONCE, perKey: 1, maxWaiting: MAX_WAITING })
  return (owner, url, options) =>
    queue.run(owner, () => fetchDocument(url, { ...options, owner }), { signal: options.signal })
}
