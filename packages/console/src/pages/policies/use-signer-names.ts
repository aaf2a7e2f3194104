import type { Signer } from '@countersign/sdk'
import { useQuery } from '@tanstack/react-query'
import { controller } from '../../api/client.ts'
import { useMay } from '../../api/use-may.ts'

const MAX_OPTIONS = 500

/** The signers, and a lookup of a signer's name by its id. None for sessions that may not read them. */
export function useSignerNames(): { signers: readonly Signer[]; nameOf: (id: string) => string } {
  const may = useMay()
  const { data } = useQuery({
    queryKey: ['signers', 'names'],
    queryFn: () => controller.signers.page({ limit: MAX_OPTIONS, offset: 0, sort: 'name asc' }),
    staleTime: 30_000,
    enabled: may('GET /ext-jwt-signers'),
  })
  const signers = data?.items ?? []
  const names = new Map(signers.map(({ id, name }) => [id, name]))
  return { signers, nameOf: (id) => names.get(id) ?? id }
}
