import { quoteForFilter } from '@countersign/sdk'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { controller } from '../api/client.ts'
import type { ControllerEvent } from '../api/event-stream.ts'
import { useMay } from '../api/use-may.ts'
import { useSignerNames } from '../pages/policies/use-signer-names.ts'
import type { NameOf } from './describe-event.ts'

/** The ids must fit into a URL. */
const MAX_IDS = 50

/** Names of the identities and signers in events. Looks up identities of the newest events only, and none without permission. */
export function useNames(events: readonly ControllerEvent[]): NameOf {
  const { signers } = useSignerNames()
  const may = useMay()
  const found = new Set<string>()
  for (const { identity_id: id } of events.toReversed()) {
    if (found.size < MAX_IDS && typeof id === 'string' && id !== '') found.add(id)
  }
  const ids = [...found].sort()
  const { data } = useQuery({
    queryKey: ['identities', 'names', ids],
    queryFn: async () => {
      const filter = `id in [${ids.map(quoteForFilter).join(', ')}]`
      const { items } = await controller.identities.page({ limit: MAX_IDS, offset: 0, filter })
      return new Map(items.map(({ id, name }) => [id, name]))
    },
    enabled: ids.length > 0 && may('GET /identities'),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    retry: false,
  })
  return (id) => data?.get(id) ?? signers.find((signer) => signer.id === id)?.name
}
