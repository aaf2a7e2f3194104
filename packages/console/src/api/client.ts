import { ControllerClient, HostedClient } from '@countersign/sdk'
import { noteAnswered } from './connection.ts'
import { queries, SESSION_KEY } from './queries.ts'

/** As the browser's own, whose cookie is all that a call needs to show; what comes of it is noted for the banner. */
async function fetchAndNote(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  try {
    const response = await fetch(input, { ...init, credentials: 'same-origin' })
    noteAnswered(true)
    if (response.status === UNAUTHORIZED) noteRefused(response.url)
    return response
  } catch (error) {
    noteAnswered(false)
    throw error
  }
}

const UNAUTHORIZED = 401
/** How the session itself is asked for. */
const SESSION_PATH = '/current-api-session'

/** Either a permission is missing or the session has ended: to ask for it tells which. */
function noteRefused(url: string): void {
  if (!url.endsWith(SESSION_PATH)) void queries.invalidateQueries({ queryKey: SESSION_KEY })
}

/** The queries try again by themselves, and show meanwhile that they do. */
const options = { baseUrl: window.location.origin, fetch: fetchAndNote, retries: 0 }

/** The SDK's clients of this very controller. They hold no credential: the session is in a cookie, which only the browser sees. */
export const controller = new ControllerClient(options)
export const hosted = new HostedClient(options)
