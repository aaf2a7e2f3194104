import { queryOptions } from '@tanstack/react-query'
import { callData } from '../../api/call.ts'
import { IDENTITIES, one } from '../../api/paths.ts'
import { queries } from '../../api/queries.ts'
import type { Identity } from '../../api/wire.ts'

export const identityQuery = (id: string) =>
  queryOptions({ queryKey: ['identities', 'one', id], queryFn: () => callData<Identity>('GET', one(IDENTITIES, id)) })

/** Everything that hangs on identities is loaded again. */
export async function reloadIdentities(): Promise<void> {
  await Promise.all(['identities', 'sessions'].map((name) => queries.invalidateQueries({ queryKey: [name] })))
}
