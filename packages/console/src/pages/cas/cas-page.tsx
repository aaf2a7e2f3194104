import type { Ca } from '@countersign/sdk'
import { controller } from '../../api/client.ts'
import type { CsvExport } from '../../list/csv.ts'
import { choiceFilter } from '../../list/list-filter.ts'
import { ListPage } from '../../list/list-page.tsx'
import type { Column } from '../../list/list-table.tsx'
import { EnabledBadge, StateBadge } from '../../show/badges.tsx'
import { CopyId } from '../../show/copy-id.tsx'
import { ButtonLink, PageLink } from '../../show/links.tsx'
import { TrustBadge } from '../../show/trust-section.tsx'
import { CA_BULK_ACTIONS } from './ca-bulk.ts'

const COLUMNS: readonly Column<Ca>[] = [
  {
    label: 'Name',
    sort: 'name',
    cell: ({ id, name }) => (
      <CopyId id={id} of={name}>
        <PageLink to="/cas/$id" params={{ id }}>
          {name}
        </PageLink>
      </CopyId>
    ),
  },
  { label: 'Fingerprint', sort: 'fingerprint', from: 'lg', cell: ({ fingerprint }) => fingerprint },
  { label: 'Verified', sort: 'isVerified', cell: ({ isVerified }) => <VerifiedBadge isVerified={isVerified} /> },
  { label: 'Trust', from: 'md', cell: ({ trust }) => <TrustBadge state={trust.state} /> },
  {
    label: 'Login',
    sort: 'isAuthEnabled',
    from: 'sm',
    cell: ({ isAuthEnabled }) => <EnabledBadge enabled={isAuthEnabled} />,
  },
]

const VERIFIED_FILTER = choiceFilter('state', 'State', [
  { value: 'verified', label: 'Verified', filter: () => 'isVerified = true' },
  { value: 'unverified', label: 'Not verified', filter: () => 'isVerified = false' },
  { value: 'login', label: 'Login enabled', filter: () => 'isAuthEnabled = true' },
  { value: 'no-login', label: 'Login disabled', filter: () => 'isAuthEnabled = false' },
])

const CSV: CsvExport<Ca> = {
  fileName: 'cas',
  columns: [
    ['id', ({ id }) => id],
    ['name', ({ name }) => name],
    ['fingerprint', ({ fingerprint }) => fingerprint],
    ['isVerified', ({ isVerified }) => isVerified],
    ['isAuthEnabled', ({ isAuthEnabled }) => isAuthEnabled],
    ['trust', ({ trust }) => trust.state],
    ['createdAt', ({ createdAt }) => createdAt],
    ['updatedAt', ({ updatedAt }) => updatedAt],
  ],
}

export function CasPage() {
  return (
    <ListPage<Ca>
      title="CAs"
      description="Third-party certificate authorities: their certificates log in and enroll, subject to the authentication policy."
      queryKey={['cas']}
      load={({ text: _, ...query }) => controller.cas.page(query)}
      searchFields={['name', 'fingerprint']}
      columns={COLUMNS}
      filters={[VERIFIED_FILTER]}
      bulkActions={CA_BULK_ACTIONS}
      csv={CSV}
      defaultSort="name asc"
      searchLabel="Search name or fingerprint"
      emptyText="There are no third-party CAs. To add one, you need its certificate and its private key."
      actions={<ButtonLink to="/cas/new">Add a CA</ButtonLink>}
    />
  )
}

export function VerifiedBadge({ isVerified }: Pick<Ca, 'isVerified'>) {
  return <StateBadge color={isVerified ? 'green' : 'orange'}>{isVerified ? 'Verified' : 'Not verified'}</StateBadge>
}
