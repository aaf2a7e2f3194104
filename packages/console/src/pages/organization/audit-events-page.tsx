import { Button, Group, Select, Stack, Table, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { hosted } from '../../api/client.ts'
import type { AuditEvent } from '../../api/wire.ts'
import { ExportButton } from '../../list/export-button.tsx'
import { MAX_LOADED } from '../../list/load-all.ts'
import { Instant } from '../../show/instant.tsx'
import { Loaded } from '../../show/loaded.tsx'
import { PageHead } from '../../show/page-head.tsx'
import { AUDIT_EVENTS_CSV } from './organization-csv.ts'

const PAGE_SIZE = 50
const EXPORT_SIZE = 1_000
const ALL = 'all'
const TYPES = [
  { value: ALL, label: 'Everything' },
  { value: 'network', label: 'Networks' },
  { value: 'api-account', label: 'API accounts' },
  { value: 'identity-provider', label: 'Identity providers' },
  { value: 'account-job', label: 'Jobs at providers' },
  { value: 'organization', label: 'The organization' },
  { value: 'token.refused', label: 'Refused tokens' },
  { value: 'token.accepted', label: 'Accepted tokens' },
]

/** What happened in the organization, the newest first. */
export function AuditEventsPage() {
  const [type, setType] = useState(ALL)
  const query = useInfiniteQuery({
    queryKey: ['audit-events', type],
    queryFn: ({ pageParam }) => hosted.auditEvents.page({ type: typeFilter(type), before: pageParam, size: PAGE_SIZE }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => (last.length < PAGE_SIZE ? undefined : last.at(-1)?.id),
  })
  return (
    <Stack>
      <PageHead
        title="Audit events"
        description="Changes of your organization’s records in the last 90 days, and tokens of its API accounts in the last 24 hours. Only its members see them."
      >
        <ExportButton csv={AUDIT_EVENTS_CSV} load={loadEvents(type)} />
      </PageHead>
      <Select
        label="Show"
        maw={280}
        allowDeselect={false}
        data={TYPES}
        value={type}
        onChange={(value) => setType(value ?? ALL)}
      />
      <Loaded query={query}>
        {({ pages }) =>
          pages.flat().length === 0 ? <Text>There are no events.</Text> : <EventTable events={pages.flat()} />
        }
      </Loaded>
      {query.hasNextPage && (
        <Group>
          <Button variant="default" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            Show older ones
          </Button>
        </Group>
      )}
    </Stack>
  )
}

/** The API pages events by the last one of a page: all of them are read first. */
function loadEvents(type: string) {
  const all: AuditEvent[] = []
  return async ({ limit, offset }: { readonly limit: number; readonly offset: number }) => {
    if (offset === 0) {
      all.length = 0
      const size = EXPORT_SIZE
      for (let part: readonly AuditEvent[]; all.length < MAX_LOADED; ) {
        part = await hosted.auditEvents.page({ type: typeFilter(type), before: all.at(-1)?.id, size })
        all.push(...part)
        if (part.length < size) break
      }
    }
    return { items: all.slice(offset, offset + limit), total: all.length }
  }
}

const typeFilter = (type: string) => (type === ALL ? undefined : type)

function EventTable({ events }: { readonly events: readonly AuditEvent[] }) {
  return (
    <Table className="card-rows" aria-label="Audit events">
      <Table.Thead>
        <Table.Tr>
          {['Time', 'Event', 'By', 'Record', 'Detail', 'From'].map((label) => (
            <Table.Th key={label}>{label}</Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {events.map((event) => (
          <Table.Tr key={event.id}>
            <Table.Td className="first-cell">
              <Instant at={event.at} />
            </Table.Td>
            <Table.Td data-label="Event">{event.type}</Table.Td>
            <Table.Td className="breakable" data-label="By">
              {event.actor?.name ?? event.actor?.type ?? '–'}
            </Table.Td>
            <Table.Td className="breakable" data-label="Record">
              {event.target?.name ?? event.target?.id ?? '–'}
            </Table.Td>
            <Table.Td className="breakable" data-label="Detail">
              {event.reason ?? (event.changed.join(', ') || '–')}
            </Table.Td>
            <Table.Td data-label="From">{event.address ?? '–'}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
