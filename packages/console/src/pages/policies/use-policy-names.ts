import { useQuery } from '@tanstack/react-query'
import { controller } from '../../api/client.ts'
import { useMay } from '../../api/use-may.ts'
import type { Choice } from '../../list/list-filter.ts'

const MAX_OPTIONS = 500

/** The policies as choices, by name. None for sessions that may not read them. */
export function usePolicyNames(): readonly Choice[] {
  const may = useMay()
  const { data } = useQuery({
    queryKey: ['policies', 'names'],
    queryFn: () => controller.authPolicies.page({ limit: MAX_OPTIONS, offset: 0, sort: 'name asc' }),
    enabled: may('GET /auth-policies'),
  })
  return data?.items.map(({ id, name }) => ({ value: id, label: name })) ?? []
}
