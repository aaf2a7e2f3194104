import { quoteForFilter } from '@countersign/sdk'
import { useThrottledValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { controller } from '../api/client.ts'
import type { ControllerEvent } from '../api/event-stream.ts'
import type { Call } from '../api/rights.ts'
import { useMay } from '../api/use-may.ts'
import { useSignerNames } from '../pages/policies/use-signer-names.ts'
import { decisionIdOf, type NameOf } from './describe-event.ts'

/** The ids must fit into a URL. */
const MAX_IDS = 50
const MAX_QUERIES = 4
/** Refusals can come by the hundred. */
const THROTTLE_MS = 1_000

/**
 * Names of the identities and signers in events, and of the identities in the decisions about refusals. Looks up those of the newest events only, and none
 * without permission.
 */
export function useNames(events: readonly ControllerEvent[]): NameOf {
  const { signers } = useSignerNames()
  const identities = useLookUp('GET /identities', newestIds(events, identityIdsOf), loadIdentityNames)
  const decisions = useLookUp(
    'GET /auth-decisions',
    newestIds(events, (event) => [decisionIdOf(event)]),
    loadDecidedNames,
  )
  return (id) =>
    identities?.get(id) ?? decisions?.get(id) ?? signers.find((signer) => signer.id === id)?.name ?? undefined
}

function identityIdsOf({ identity_id: id }: ControllerEvent): readonly unknown[] {
  return [id]
}

function newestIds(
  events: readonly ControllerEvent[],
  idsOf: (event: ControllerEvent) => readonly unknown[],
): string[] {
  const found = new Set<string>()
  for (const event of events.toReversed()) {
    for (const id of idsOf(event)) {
      if (found.size < MAX_IDS * MAX_QUERIES && typeof id === 'string' && id !== '') found.add(id)
    }
  }
  return [...found].sort()
}

type Names = readonly (readonly [id: string, name: string])[]

function useLookUp(
  need: Call,
  ids: readonly string[],
  load: (query: { readonly limit: number; readonly filter: string }) => Promise<Names>,
): ReadonlyMap<string, string> | undefined {
  const may = useMay()
  const joined = useThrottledValue(ids.join(','), THROTTLE_MS)
  const wanted = joined === '' ? [] : joined.split(',')
  const { data } = useQuery({
    queryKey: ['names', need, wanted],
    queryFn: async () => {
      const names: (readonly [string, string])[] = []
      for (let start = 0; start < wanted.length; start += MAX_IDS) {
        const some = wanted.slice(start, start + MAX_IDS)
        const filter = `id in [${some.map(quoteForFilter).join(', ')}]`
        names.push(...(await load({ limit: MAX_IDS, filter })))
      }
      return new Map(names)
    },
    enabled: wanted.length > 0 && may(need),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    retry: false,
  })
  return data
}

async function loadIdentityNames(query: { readonly limit: number; readonly filter: string }): Promise<Names> {
  const { items } = await controller.identities.page(query)
  return items.map(({ id, name }) => [id, name])
}

async function loadDecidedNames(query: { readonly limit: number; readonly filter: string }): Promise<Names> {
  const { items } = await controller.authDecisions.page(query)
  return items.flatMap(({ id, identityName, claimedIdentity }) => {
    const name = identityName ?? claimedIdentity
    return name ? [[id, name] as const] : []
  })
}
