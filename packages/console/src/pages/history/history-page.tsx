import { type AuditEntry, quoteForFilter } from '@countersign/sdk'
import { controller } from '../../api/client.ts'
import type { CsvExport } from '../../list/csv.ts'
import { choiceFilter, datetime, equalFilter, type TextFilter } from '../../list/list-filter.ts'
import { ListPage } from '../../list/list-page.tsx'
import type { Column } from '../../list/list-table.tsx'
import { Ago } from '../../show/instant.tsx'
import { PageLink } from '../../show/links.tsx'
import { OBJECT_KINDS, objectKindLabel } from './object-kinds.ts'
import { findChanges } from './state-changes.ts'

const SHOWN_CHANGES = 3

const COLUMNS: readonly Column<AuditEntry>[] = [
  {
    label: 'Action',
    sort: 'action',
    cell: ({ id, action }) => (
      <PageLink to="/history/$id" params={{ id }}>
        {action ?? 'another organization'}
      </PageLink>
    ),
  },
  { label: 'Time', sort: 'at', cell: ({ at }) => <Ago at={at} /> },
  { label: 'Actor', sort: 'actorName', cell: ({ actorName, actorId }) => actorName ?? actorId ?? '–' },
  { label: 'Object', sort: 'objectName', cell: ({ objectName, objectId }) => objectName ?? objectId ?? '–' },
  {
    label: 'Kind',
    sort: 'objectKind',
    from: 'md',
    cell: ({ objectKind }) => (objectKind ? objectKindLabel(objectKind) : '–'),
  },
  { label: 'Changed', from: 'lg', cell: (entry) => describeChange(entry) },
  { label: 'Address', sort: 'address', from: 'lg', cell: ({ address }) => address ?? '–' },
]

/** The names of the first members that an update changed. */
function describeChange({ change, before, after }: AuditEntry): string {
  if (change === null || change === undefined) return '–'
  if (change === 'created' || change === 'deleted') return change
  const names = findChanges(before, after).map(({ name }) => name)
  const rest = names.length > SHOWN_CHANGES ? ` and ${names.length - SHOWN_CHANGES} more` : ''
  return names.slice(0, SHOWN_CHANGES).join(', ') + rest || change
}

const HOUR_MS = 3_600_000
const PERIODS = [
  ['hour', 'Last hour', HOUR_MS],
  ['day', 'Last 24 hours', 24 * HOUR_MS],
  ['week', 'Last 7 days', 7 * 24 * HOUR_MS],
  ['month', 'Last 30 days', 30 * 24 * HOUR_MS],
] as const

const byNameOrId = (name: string, label: string): TextFilter => ({
  kind: 'text',
  name,
  label,
  toFilter: (value) => {
    const quoted = quoteForFilter(value)
    return value === '' ? undefined : `${name}Id = ${quoted} or ${name}Name = ${quoted}`
  },
})

const FILTERS = [
  byNameOrId('actor', 'Actor (name or id)'),
  byNameOrId('object', 'Object (name or id)'),
  equalFilter('kind', 'Kind', 'objectKind', OBJECT_KINDS),
  choiceFilter(
    'period',
    'Time',
    PERIODS.map(([value, label, ms]) => ({ value, label, filter: (now) => `at > ${datetime(now - ms)}` })),
  ),
]

const CSV: CsvExport<AuditEntry> = {
  fileName: 'history',
  columns: [
    ['id', ({ id }) => id],
    ['at', ({ at }) => at],
    ['actorId', ({ actorId }) => actorId],
    ['actorName', ({ actorName }) => actorName],
    ['action', ({ action }) => action],
    ['objectKind', ({ objectKind }) => objectKind],
    ['objectId', ({ objectId }) => objectId],
    ['objectName', ({ objectName }) => objectName],
    ['address', ({ address }) => address],
    ['requestId', ({ requestId }) => requestId],
    ['node', ({ node }) => node],
    ['sequence', ({ sequence }) => sequence],
    ['hash', ({ hash }) => hash],
  ],
}

export function HistoryPage() {
  return (
    <ListPage<AuditEntry>
      title="Change history"
      description="Who changed what, when and from where, and which logins were refused. The record cannot be edited: “countersign audit verify” checks an export."
      queryKey={['history']}
      load={({ text: _, ...query }) => controller.audit.entries.page(query)}
      columns={COLUMNS}
      defaultSort="at desc"
      searchLabel="Search actor, object, action or address"
      searchFields={['actorName', 'objectName', 'objectId', 'action', 'address', 'requestId']}
      filters={FILTERS}
      csv={CSV}
      emptyText="No changes match."
    />
  )
}
