import type { Signer } from '@countersign/sdk'
import { useQuery } from '@tanstack/react-query'
import { controller } from '../../api/client.ts'

const MAX_OPTIONS = 500

/** The signers, and a lookup of a signer's name by its id. */
export function useSignerNames(): { signers: readonly Signer[]; nameOf: (id: string) => string } {
  const { data } = useQuery({
    queryKey: ['signers', 'names'],
    queryFn: () => controller.signers.page({ limit: MAX_OPTIONS, offset: 0, sort: 'name asc' }),
    staleTime: 30_000,
  })
  const signers = data?.items ?? []
  const names = new Map(signers.map(({ id, name }) => [id, name]))
  return { signers, nameOf: (id) => names.get(id) ?? id }
}
