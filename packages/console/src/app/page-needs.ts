import type { Call, Need } from '../api/rights.ts'
import { useMay } from '../api/use-may.ts'

/** The parts of the overview. It is shown to callers that may read one of them. */
export const OVERVIEW_CALLS = ['GET /summary', 'GET /events', 'GET /ext-jwt-signers'] as const satisfies readonly Call[]

/** What each page needs. Menu, links and the pages themselves follow this table; a page that is not in it is for everyone who has a session. */
const PAGE_NEEDS: Readonly<Record<string, Need>> = {
  '/': OVERVIEW_CALLS,
  '/signers': 'GET /ext-jwt-signers',
  '/signers/new': 'POST /ext-jwt-signers',
  '/signers/$id': 'GET /ext-jwt-signers/:id',
  '/signers/$id/edit': 'PATCH /ext-jwt-signers/:id',
  '/cas': 'GET /cas',
  '/cas/new': 'POST /cas',
  '/cas/$id': 'GET /cas/:id',
  '/cas/$id/edit': 'PATCH /cas/:id',
  '/policies': 'GET /auth-policies',
  '/policies/new': 'POST /auth-policies',
  '/policies/$id': 'GET /auth-policies/:id',
  '/identities': 'GET /identities',
  '/identities/new': 'POST /identities',
  '/identities/$id': 'GET /identities/:id',
  '/identities/$id/edit': 'PATCH /identities/:id',
  '/enrollments': 'GET /enrollments',
  '/sessions': 'GET /api-sessions',
  '/test-token': 'POST /ext-jwt-signers/explain',
  '/decisions': 'GET /auth-decisions',
  '/decisions/$id': 'GET /auth-decisions/:id',
  '/events': 'GET /events',
  '/history': 'GET /audit-entries',
  '/history/$id': 'GET /audit-entries',
  '/sinks': 'GET /event-sinks',
  '/sinks/new': 'POST /event-sinks',
  '/sinks/$id': 'GET /event-sinks/:id',
  '/sinks/$id/edit': 'PATCH /event-sinks/:id',
}

/** Pages of the hosted API. */
const HOSTED = '/organization/'

export function needOf(page: string): Need | undefined {
  return page.startsWith(HOSTED) ? 'administrator' : PAGE_NEEDS[page]
}

/** Whether the current session may open a page, by its path in the router. */
export function useMayOpen(): (page: string) => boolean {
  const may = useMay()
  return (page) => {
    const need = needOf(page)
    return need === undefined || may(need)
  }
}
