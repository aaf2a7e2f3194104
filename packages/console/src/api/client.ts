import { ControllerClient, HostedClient } from '@countersign/sdk'
import { setReachable } from './connection.ts'
import { IDENTITY_KEY, queries, SESSION_KEY } from './queries.ts'

/** `fetch` with the session cookie. Records for the connection banner whether the controller responded. */
async function fetchAndTrack(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  try {
    const response = await fetch(input, { ...init, credentials: 'same-origin' })
    setReachable(true)
    if (response.status === UNAUTHORIZED) recheckSession(response.url)
    return response
  } catch (error) {
    setReachable(false)
    throw error
  }
}

const UNAUTHORIZED = 401
const SESSION_PATH = '/current-api-session'
const IDENTITY_PATH = '/current-identity'

/** A 401 means a missing permission or an ended session. Reloading the session and its rights shows which. */
function recheckSession(url: string): void {
  if (url.endsWith(SESSION_PATH)) return
  void queries.invalidateQueries({ queryKey: SESSION_KEY })
  if (!url.endsWith(IDENTITY_PATH)) void queries.invalidateQueries({ queryKey: IDENTITY_KEY })
}

// No retries in the SDK: the query client retries, and shows that it does.
const options = { baseUrl: window.location.origin, fetch: fetchAndTrack, retries: 0 }

const LOCK_OUT_QUESTION = 'No administrator is known to be able to log in after this change. Save it all the same?'
const confirmLockOut = async (): Promise<boolean> => window.confirm(LOCK_OUT_QUESTION)

/** SDK clients of this controller. They hold no credential: the session is in a cookie that scripts cannot read. */
export const controller = new ControllerClient({ ...options, confirmLockOut })
export const hosted = new HostedClient(options)
