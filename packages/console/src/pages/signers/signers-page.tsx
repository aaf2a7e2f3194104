import type { Signer } from '@countersign/sdk'
import { controller } from '../../api/client.ts'
import type { CsvExport } from '../../list/csv.ts'
import { choiceFilter } from '../../list/list-filter.ts'
import { ListPage } from '../../list/list-page.tsx'
import type { Column } from '../../list/list-table.tsx'
import { EnabledBadge } from '../../show/badges.tsx'
import { CopyId } from '../../show/copy-id.tsx'
import { ButtonLink, PageLink } from '../../show/links.tsx'
import { TrustBadge } from '../../show/trust-section.tsx'
import { KeyHealthBadge } from './key-health-badge.tsx'
import { shortKeySource } from './key-source.ts'
import { SIGNER_BULK_ACTIONS } from './signer-bulk.ts'

const COLUMNS: readonly Column<Signer>[] = [
  {
    label: 'Name',
    sort: 'name',
    cell: ({ id, name }) => (
      <CopyId id={id} of={name}>
        <PageLink to="/signers/$id" params={{ id }}>
          {name}
        </PageLink>
      </CopyId>
    ),
  },
  { label: 'Issuer', sort: 'issuer', from: 'sm', cell: ({ issuer }) => issuer },
  { label: 'Audience', sort: 'audience', from: 'md', cell: ({ audience }) => audience },
  { label: 'Key source', from: 'lg', cell: (signer) => shortKeySource(signer) },
  { label: 'Keys', cell: (signer) => <KeyHealthBadge signer={signer} /> },
  { label: 'Trust', from: 'lg', cell: ({ trust }) => <TrustBadge state={trust.state} /> },
  { label: 'State', sort: 'enabled', from: 'sm', cell: ({ enabled }) => <EnabledBadge enabled={enabled} /> },
]

const STATE_FILTER = choiceFilter('state', 'State', [
  { value: 'enabled', label: 'Enabled', filter: () => 'enabled = true' },
  { value: 'disabled', label: 'Disabled', filter: () => 'enabled = false' },
])

const CSV: CsvExport<Signer> = {
  fileName: 'signers',
  columns: [
    ['id', ({ id }) => id],
    ['name', ({ name }) => name],
    ['issuer', ({ issuer }) => issuer],
    ['audience', ({ audience }) => audience],
    ['enabled', ({ enabled }) => enabled],
    ['jwksEndpoint', ({ jwksEndpoint }) => jwksEndpoint],
    ['claimsProperty', ({ claimsProperty }) => claimsProperty],
    ['useExternalId', ({ useExternalId }) => useExternalId],
    ['trust', ({ trust }) => trust.state],
    ['createdAt', ({ createdAt }) => createdAt],
    ['updatedAt', ({ updatedAt }) => updatedAt],
  ],
}

export function SignersPage() {
  return (
    <ListPage<Signer>
      title="Signers"
      description="External JWT signers: identity providers whose tokens this controller accepts, subject to the authentication policy."
      queryKey={['signers']}
      load={({ text: _, ...query }) => controller.signers.page(query)}
      searchFields={['name', 'issuer', 'audience']}
      columns={COLUMNS}
      filters={[STATE_FILTER]}
      bulkActions={SIGNER_BULK_ACTIONS}
      csv={CSV}
      defaultSort="name asc"
      searchLabel="Search name, issuer or audience"
      emptyText="There are no signers yet. To add one, you need the URL of its issuer."
      actions={<ButtonLink to="/signers/new">Add a signer</ButtonLink>}
    />
  )
}
