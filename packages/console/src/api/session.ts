import { CountersignError, type CurrentApiSession } from '@countersign/sdk'
import { queryOptions } from '@tanstack/react-query'
import { call } from './call.ts'
import { controller } from './client.ts'
import { queries, SESSION_KEY } from './queries.ts'

/** The session that the browser's cookie stands for; null when there is none. */
export const sessionQuery = queryOptions({
  queryKey: SESSION_KEY,
  queryFn: async (): Promise<CurrentApiSession | null> => {
    try {
      return await controller.currentSession()
    } catch (error) {
      if (error instanceof CountersignError && error.status === 401) return null
      throw error
    }
  },
  staleTime: 30_000,
})

export const currentIdentityQuery = queryOptions({
  queryKey: ['current-identity'],
  queryFn: () => controller.currentIdentity(),
  staleTime: 60_000,
})

/** Signing in and out of the console itself: the token goes into a cookie. */
const CONSOLE_SESSION = '/console/session'

/** Whether the session still waits for a one-time code, and whether there are any to give or they have to be set up first. */
export function wantedCode(session: CurrentApiSession): 'given' | 'set-up' | undefined {
  const query = session.authQueries.find(({ typeId }) => typeId === 'MFA')
  return query && (query.isTotpEnrolled === false ? 'set-up' : 'given')
}

/** The signer whose token the session still waits for. */
export function wantedSigner(session: CurrentApiSession): string | undefined {
  return session.authQueries.find(({ typeId }) => typeId === 'EXT-JWT')?.id
}

/** Whether the session still waits for something before it opens the pages. */
export function isPartial(session: CurrentApiSession): boolean {
  return wantedCode(session) !== undefined || wantedSigner(session) !== undefined
}

export async function signIn(username: string, password: string): Promise<void> {
  await call('POST', CONSOLE_SESSION, { username, password })
  await beginAnew()
}

export async function giveCode(code: string): Promise<void> {
  await controller.completeWithCode(code)
  await beginAnew()
}

/** Ends the session, and with it everything that this page remembers. */
export async function signOut(): Promise<void> {
  await call('DELETE', CONSOLE_SESSION)
  window.location.assign('/console/sign-in')
  // Nothing goes on here: the page is about to be left.
  await new Promise(() => undefined)
}

/** After a step of signing in: what one session saw is not shown to the next. */
export async function beginAnew(): Promise<void> {
  queries.removeQueries({ predicate: ({ queryKey: [name] }) => name !== SESSION_KEY[0] })
  await queries.fetchQuery({ ...sessionQuery, staleTime: 0 })
}
