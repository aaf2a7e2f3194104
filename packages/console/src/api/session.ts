import { queryOptions } from '@tanstack/react-query'
import { call, callData } from './call.ts'
import { CallFailed } from './call-failed.ts'
import { CONSOLE_SESSION, CURRENT_IDENTITY, CURRENT_SESSION, MANAGEMENT } from './paths.ts'
import { queries } from './queries.ts'
import type { ApiSession, Identity } from './wire.ts'

/** The session that the browser's cookie stands for; null when there is none. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async (): Promise<ApiSession | null> => {
    try {
      return await callData<ApiSession>('GET', CURRENT_SESSION)
    } catch (error) {
      if (error instanceof CallFailed && error.status === 401) return null
      throw error
    }
  },
  staleTime: 30_000,
})

export const currentIdentityQuery = queryOptions({
  queryKey: ['current-identity'],
  queryFn: () => callData<Identity>('GET', CURRENT_IDENTITY),
  staleTime: 60_000,
})

/** Whether the session still waits for a one-time code. */
export function wantsCode(session: ApiSession): boolean {
  return session.authQueries.some(({ typeId }) => typeId === 'MFA')
}

/** The signer whose token the session still waits for. */
export function wantedSigner(session: ApiSession): string | undefined {
  return session.authQueries.find(({ typeId }) => typeId === 'EXT-JWT')?.id
}

/** Whether the session still waits for something before it opens the pages. */
export function isPartial(session: ApiSession): boolean {
  return wantsCode(session) || wantedSigner(session) !== undefined
}

export async function signIn(username: string, password: string): Promise<void> {
  await call('POST', CONSOLE_SESSION, { username, password })
  await forgetEverything()
}

export async function giveCode(code: string): Promise<void> {
  await call('POST', `${MANAGEMENT}/authenticate/mfa`, { code })
  await forgetEverything()
}

export async function signOut(): Promise<void> {
  await call('DELETE', CONSOLE_SESSION)
  await forgetEverything()
}

/** What one session saw is not shown to the next. */
async function forgetEverything(): Promise<void> {
  queries.removeQueries({ predicate: ({ queryKey: [name] }) => name !== sessionQuery.queryKey[0] })
  await queries.fetchQuery({ ...sessionQuery, staleTime: 0 })
}
