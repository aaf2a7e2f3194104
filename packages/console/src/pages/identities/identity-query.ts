import { queryOptions } from '@tanstack/react-query'
import { controller } from '../../api/client.ts'
import { queries } from '../../api/queries.ts'
import { loadVersioned } from '../../api/versioned.ts'

export const identityQuery = (id: string) =>
  queryOptions({ queryKey: ['identities', 'one', id], queryFn: () => loadVersioned(controller.identities, id) })

/** Reloads identities and their sessions. */
export async function reloadIdentities(): Promise<void> {
  await Promise.all(['identities', 'sessions'].map((name) => queries.invalidateQueries({ queryKey: [name] })))
}
