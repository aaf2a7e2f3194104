import type { EventSink } from '@countersign/sdk'
import { controller } from '../../api/client.ts'
import type { CsvExport } from '../../list/csv.ts'
import { equalFilter } from '../../list/list-filter.ts'
import { ListPage } from '../../list/list-page.tsx'
import type { Column } from '../../list/list-table.tsx'
import { EnabledBadge, StateBadge } from '../../show/badges.tsx'
import { CopyId } from '../../show/copy-id.tsx'
import { Ago } from '../../show/instant.tsx'
import { ButtonLink, PageLink } from '../../show/links.tsx'
import { SINK_KINDS } from './sink-values.ts'

const COLUMNS: readonly Column<EventSink>[] = [
  {
    label: 'Name',
    sort: 'name',
    cell: ({ id, name }) => (
      <CopyId id={id} of={name}>
        <PageLink to="/sinks/$id" params={{ id }}>
          {name}
        </PageLink>
      </CopyId>
    ),
  },
  { label: 'Kind', sort: 'kind', from: 'sm', cell: ({ kind }) => kind },
  { label: 'State', sort: 'enabled', cell: ({ enabled }) => <EnabledBadge enabled={enabled} /> },
  { label: 'Deliveries', cell: (sink) => <DeliveryBadge sink={sink} /> },
  { label: 'Behind', from: 'sm', cell: ({ behind }) => behind },
  {
    label: 'Last delivery',
    sort: 'lastDeliveryAt',
    from: 'md',
    cell: ({ lastDeliveryAt }) => (lastDeliveryAt ? <Ago at={lastDeliveryAt} /> : '–'),
  },
]

const CSV: CsvExport<EventSink> = {
  fileName: 'event-sinks',
  columns: [
    ['id', ({ id }) => id],
    ['name', ({ name }) => name],
    ['kind', ({ kind }) => kind],
    ['url', ({ url }) => url],
    ['enabled', ({ enabled }) => enabled],
    ['position', ({ position }) => position],
    ['behind', ({ behind }) => behind],
    ['lastDeliveryAt', ({ lastDeliveryAt }) => lastDeliveryAt],
    ['lastError', ({ lastError }) => lastError],
  ],
}

export function SinksPage() {
  return (
    <ListPage<EventSink>
      title="Event sinks"
      description="Webhooks, collectors and files that receive every event, at least once, also after they were down."
      queryKey={['sinks']}
      load={({ text: _, ...query }) => controller.eventSinks.page(query)}
      searchFields={['name', 'url']}
      searchLabel="Search name or URL"
      columns={COLUMNS}
      filters={[equalFilter('kind', 'Kind', 'kind', SINK_KINDS)]}
      csv={CSV}
      defaultSort="name asc"
      emptyText="There are no event sinks."
      actions={<ButtonLink to="/sinks/new">Add a sink</ButtonLink>}
      refetchMs={10_000}
    />
  )
}

export function DeliveryBadge({ sink: { lastError, lastDeliveryAt } }: { readonly sink: EventSink }) {
  if (lastError) return <StateBadge color="red">Failing</StateBadge>
  return lastDeliveryAt ? (
    <StateBadge color="green">Delivering</StateBadge>
  ) : (
    <StateBadge color="gray">None yet</StateBadge>
  )
}
