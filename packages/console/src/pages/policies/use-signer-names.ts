import { useQuery } from '@tanstack/react-query'
import { loadPage } from '../../api/list.ts'
import { SIGNERS } from '../../api/paths.ts'
import type { Signer } from '../../api/wire.ts'

const MOST_OFFERED = 500

/** The signers by name, and the name of one by its id. */
export function useSignerNames(): { signers: readonly Signer[]; nameOf: (id: string) => string } {
  const { data } = useQuery({
    queryKey: ['signers', 'names'],
    queryFn: () => loadPage<Signer>(SIGNERS, { limit: MOST_OFFERED, offset: 0, sort: 'name asc' }),
    staleTime: 30_000,
  })
  const signers = data?.items ?? []
  const names = new Map(signers.map(({ id, name }) => [id, name]))
  return { signers, nameOf: (id) => names.get(id) ?? id }
}
