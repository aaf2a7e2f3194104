import type { Enrollment } from '@countersign/sdk'
import { Box, Stack, Text } from '@mantine/core'
import { controller } from '../../api/client.ts'
import type { CsvExport } from '../../list/csv.ts'
import { choiceFilter, datetime, equalFilter } from '../../list/list-filter.ts'
import { ListPage } from '../../list/list-page.tsx'
import type { Column } from '../../list/list-table.tsx'
import { StateBadge } from '../../show/badges.tsx'
import { Ago } from '../../show/instant.tsx'
import { PageLink } from '../../show/links.tsx'
import { EnrollmentActions } from './enrollment-actions.tsx'
import { ENROLLMENT_BULK_ACTIONS } from './enrollment-bulk.ts'
import { ENROLLMENT_KINDS, isExpired, kindOf } from './enrollment-kinds.ts'

const COLUMNS: readonly Column<Enrollment>[] = [
  {
    label: 'Identity',
    cell: (enrollment) => (
      <Stack gap={4}>
        <PageLink to="/identities/$id" params={{ id: enrollment.identity.id }}>
          {enrollment.identity.name}
        </PageLink>
        <OnTablets enrollment={enrollment} />
      </Stack>
    ),
  },
  { label: 'Kind', sort: 'method', from: 'md', cell: ({ method }) => kindOf(method)?.label ?? method },
  { label: 'User name', sort: 'username', from: 'lg', cell: ({ username }) => username ?? '–' },
  { label: 'Expires', sort: 'expiresAt', from: 'md', cell: ({ expiresAt }) => <Ago at={expiresAt} /> },
  { label: 'Created', sort: 'createdAt', from: 'lg', cell: ({ createdAt }) => <Ago at={createdAt} /> },
  {
    label: 'State',
    cell: ({ expiresAt }) =>
      isExpired(expiresAt, Date.now()) ? (
        <StateBadge color="red">Expired</StateBadge>
      ) : (
        <StateBadge color="green">Open</StateBadge>
      ),
  },
  { label: 'Actions', from: 'md', cell: (enrollment) => <EnrollmentActions enrollment={enrollment} /> },
]

/** Without the tokens, which are credentials. */
const CSV: CsvExport<Enrollment> = {
  fileName: 'invitations',
  columns: [
    ['id', ({ id }) => id],
    ['identityId', ({ identity }) => identity.id],
    ['identity', ({ identity }) => identity.name],
    ['method', ({ method }) => method],
    ['username', ({ username }) => username],
    ['expiresAt', ({ expiresAt }) => expiresAt],
    ['createdAt', ({ createdAt }) => createdAt],
  ],
}

const STATE_FILTER = choiceFilter('state', 'State', [
  { value: 'open', label: 'Open', filter: (now) => `expiresAt > ${datetime(now)}` },
  { value: 'expired', label: 'Expired', filter: (now) => `expiresAt <= ${datetime(now)}` },
])

const KIND_FILTER = equalFilter(
  'kind',
  'Kind',
  'method',
  ENROLLMENT_KINDS.map(({ method, label }) => ({ value: method, label })),
)

/** What tables between the widths of phones and desks have no columns for. Phones show every column. */
function OnTablets({ enrollment }: { readonly enrollment: Enrollment }) {
  const { method, username, expiresAt } = enrollment
  return (
    <Box visibleFrom="sm" hiddenFrom="md">
      <Text size="sm" c="dimmed" mb={4} className="breakable">
        {[kindOf(method)?.label, username].filter(Boolean).join(', ')}, <Ago at={expiresAt} />
      </Text>
      <EnrollmentActions enrollment={enrollment} />
    </Box>
  )
}

export function EnrollmentsPage() {
  return (
    <ListPage<Enrollment>
      title="Invitations"
      description="Enrollments: one-time tokens with which identities get their first certificate or password. A used invitation is no longer listed."
      queryKey={['enrollments']}
      load={({ text: _, ...query }) => controller.enrollments.page(query)}
      searchFields={['identity.name', 'username']}
      columns={COLUMNS}
      defaultSort="expiresAt asc"
      searchLabel="Search identity or user name"
      emptyText="There are no invitations. The page of an identity creates them."
      filters={[STATE_FILTER, KIND_FILTER]}
      bulkActions={ENROLLMENT_BULK_ACTIONS}
      csv={CSV}
    />
  )
}
