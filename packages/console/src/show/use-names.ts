import { quoteForFilter } from '@countersign/sdk'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { controller } from '../api/client.ts'
import type { ControllerEvent } from '../api/event-stream.ts'
import { useSignerNames } from '../pages/policies/use-signer-names.ts'
import type { NameOf } from './describe-event.ts'

/** So many are asked about at once: their ids have to fit into an address. */
const MOST_ASKED = 50

/** The names of the identities and signers that events are about, of the newest if there are many; none that the session may not read. */
export function useNames(events: readonly ControllerEvent[]): NameOf {
  const { signers } = useSignerNames()
  const ids = new Set<string>()
  for (const { identity_id: id } of events.toReversed()) {
    if (ids.size < MOST_ASKED && typeof id === 'string' && id !== '') ids.add(id)
  }
  const asked = [...ids].sort()
  const { data } = useQuery({
    queryKey: ['identities', 'names', asked],
    queryFn: async () => {
      const filter = `id in [${asked.map(quoteForFilter).join(', ')}]`
      const { items } = await controller.identities.page({ limit: MOST_ASKED, offset: 0, filter })
      return new Map(items.map(({ id, name }) => [id, name]))
    },
    enabled: asked.length > 0,
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    retry: false,
  })
  return (id) => data?.get(id) ?? signers.find((signer) => signer.id === id)?.name
}
