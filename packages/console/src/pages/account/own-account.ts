import type { Authenticator } from '@countersign/sdk'
import { queryOptions } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { controller } from '../../api/client.ts'
import { CLIENT } from '../../api/paths.ts'
import { queries } from '../../api/queries.ts'

const AUTHENTICATORS = `${CLIENT}/current-identity/authenticators`
const MAX_SHOWN = 100

const OWN_KEY = ['own'] as const

/** The caller's password and certificates. */
export const ownAuthenticatorsQuery = queryOptions({
  queryKey: [...OWN_KEY, 'authenticators'],
  queryFn: async () => {
    const { data } = await call<{ data: readonly Authenticator[] }>('GET', `${AUTHENTICATORS}?limit=${MAX_SHOWN}`)
    return data
  },
})

/** The caller's live sessions, the last used first. */
export const ownSessionsQuery = queryOptions({
  queryKey: [...OWN_KEY, 'sessions'],
  queryFn: () => controller.ownSessions.page({ limit: MAX_SHOWN, sort: 'lastActivityAt desc' }),
  refetchInterval: 15_000,
})

/** The caller's last accepted logins, the newest first. */
export const ownLoginsQuery = queryOptions({
  queryKey: [...OWN_KEY, 'logins'],
  queryFn: () => controller.ownLogins.page({ limit: MAX_SHOWN, sort: 'at desc' }),
  refetchInterval: 15_000,
})

/** The caller's refused logins, the newest first. */
export const ownDecisionsQuery = queryOptions({
  queryKey: [...OWN_KEY, 'decisions'],
  queryFn: () => controller.ownAuthDecisions.page({ limit: MAX_SHOWN, sort: 'at desc' }),
  refetchInterval: 15_000,
})

export interface OwnPassword {
  readonly currentPassword: string
  readonly password: string
}

export async function changeOwnPassword(authenticatorId: string, change: OwnPassword): Promise<void> {
  await call('PATCH', `${AUTHENTICATORS}/${encodeURIComponent(authenticatorId)}`, change)
  await reloadOwn()
}

export async function reloadOwn(): Promise<void> {
  await queries.invalidateQueries({ queryKey: OWN_KEY })
}
