import type { Signer } from '@countersign/sdk'
import { controller } from '../../api/client.ts'
import { ListPage } from '../../list/list-page.tsx'
import type { Column } from '../../list/list-table.tsx'
import { EnabledBadge } from '../../show/badges.tsx'
import { ButtonLink, PageLink } from '../../show/links.tsx'
import { TrustBadge } from '../../show/trust-section.tsx'
import { KeyHealthBadge } from './key-health-badge.tsx'

const COLUMNS: readonly Column<Signer>[] = [
  {
    label: 'Name',
    sort: 'name',
    cell: ({ id, name }) => (
      <PageLink to="/signers/$id" params={{ id }}>
        {name}
      </PageLink>
    ),
  },
  { label: 'Issuer', sort: 'issuer', from: 'sm', cell: ({ issuer }) => issuer },
  { label: 'Audience', sort: 'audience', from: 'md', cell: ({ audience }) => audience },
  { label: 'Key source', from: 'lg', cell: ({ certPem }) => (certPem ? 'Certificate' : 'JWKS') },
  { label: 'Keys', cell: (signer) => <KeyHealthBadge signer={signer} /> },
  { label: 'Trust', from: 'lg', cell: ({ trust }) => <TrustBadge state={trust.state} /> },
  { label: 'State', sort: 'enabled', from: 'sm', cell: ({ enabled }) => <EnabledBadge enabled={enabled} /> },
]

export function SignersPage() {
  return (
    <ListPage<Signer>
      title="Signers"
      description="External JWT signers: identity providers whose tokens this controller accepts, subject to the authentication policy."
      queryKey={['signers']}
      load={({ text: _, ...query }) => controller.signers.page(query)}
      searchFields={['name', 'issuer', 'audience']}
      columns={COLUMNS}
      defaultSort="name asc"
      searchLabel="Search name, issuer or audience"
      emptyText="There are no signers yet. To add one, you need the URL of its issuer."
      actions={<ButtonLink to="/signers/new">Add a signer</ButtonLink>}
    />
  )
}
