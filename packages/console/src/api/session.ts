import { CountersignError, type CurrentApiSession } from '@countersign/sdk'
import { queryOptions } from '@tanstack/react-query'
import { call } from './call.ts'
import { controller } from './client.ts'
import { IDENTITY_KEY, queries, SESSION_KEY } from './queries.ts'

/** Login and logout of the console: the session token goes into a cookie. */
export const CONSOLE_SESSION = '/console/session'

/** The session of the browser's cookie; null when there is none. */
export const sessionQuery = queryOptions({
  queryKey: SESSION_KEY,
  queryFn: async (): Promise<CurrentApiSession | null> => {
    try {
      const { data } = await call<{ data: { isLive: boolean } }>('GET', CONSOLE_SESSION)
      return data.isLive ? await controller.currentSession() : null
    } catch (error) {
      if (error instanceof CountersignError && error.status === 401) return null
      throw error
    }
  },
  staleTime: 30_000,
})

export const currentIdentityQuery = queryOptions({
  queryKey: IDENTITY_KEY,
  queryFn: () => controller.currentIdentity(),
  staleTime: 60_000,
})

/** Whether the session needs a one-time code (`enter`), or one-time codes must be set up first (`set-up`). */
export function pendingCode(session: CurrentApiSession): 'enter' | 'set-up' | undefined {
  const query = session.authQueries.find(({ typeId }) => typeId === 'MFA')
  return query && (query.isTotpEnrolled === false ? 'set-up' : 'enter')
}

/** The signer whose token the session needs as second factor. */
export function pendingSigner(session: CurrentApiSession): string | undefined {
  return session.authQueries.find(({ typeId }) => typeId === 'EXT-JWT')?.id
}

/** Whether the session needs a passkey (`use`), or a first one must be added (`add`). */
export function pendingPasskey(session: CurrentApiSession): 'use' | 'add' | undefined {
  const query = session.authQueries.find(({ typeId }) => typeId === 'PASSKEY')
  return query && (query.isPasskeyEnrolled === false ? 'add' : 'use')
}

/** Whether the session needs a second factor. */
export function isPartial(session: CurrentApiSession): boolean {
  return [pendingCode, pendingPasskey, pendingSigner].some((pending) => pending(session) !== undefined)
}

export async function logIn(username: string, password: string): Promise<void> {
  await call('POST', CONSOLE_SESSION, { username, password })
  await reloadSession()
}

export async function submitCode(code: string): Promise<void> {
  await controller.completeWithCode(code)
  await reloadSession()
}

/** Ends the session and leaves the page, so that nothing it loaded remains. */
export async function logOut(): Promise<void> {
  await call('DELETE', CONSOLE_SESSION)
  window.location.assign('/console/sign-in')
  // Never resolves: the page is about to be left.
  await new Promise(() => undefined)
}

/** Drops everything that was loaded with another session, then loads the current one. */
export async function reloadSession(): Promise<void> {
  queries.removeQueries({ predicate: ({ queryKey: [name] }) => name !== SESSION_KEY[0] })
  await queries.fetchQuery({ ...sessionQuery, staleTime: 0 })
}
