import type { Identity } from '@countersign/sdk'
import { Group } from '@mantine/core'
import { controller } from '../../api/client.ts'
import { useMay } from '../../api/use-may.ts'
import type { CsvExport } from '../../list/csv.ts'
import { equalFilter } from '../../list/list-filter.ts'
import { ListPage } from '../../list/list-page.tsx'
import type { Column } from '../../list/list-table.tsx'
import { AccessBadge, StateBadge } from '../../show/badges.tsx'
import { CopyId } from '../../show/copy-id.tsx'
import { Ago } from '../../show/instant.tsx'
import { ButtonLink, PageLink } from '../../show/links.tsx'
import { usePolicyNames } from '../policies/use-policy-names.ts'
import { IDENTITY_BULK_ACTIONS } from './identity-bulk.ts'
import { ATTRIBUTE_FILTER, EXPIRY_FILTER, enrollmentFilter, LOGIN_FILTER, STATE_FILTER } from './identity-filters.ts'

const COLUMNS: readonly Column<Identity>[] = [
  {
    label: 'Name',
    sort: 'name',
    cell: ({ id, name, isAdmin }) => (
      <Group gap="xs">
        <CopyId id={id} of={name}>
          <PageLink to="/identities/$id" params={{ id }} className="breakable">
            {name}
          </PageLink>
        </CopyId>
        {isAdmin && <StateBadge color="blue">Administrator</StateBadge>}
      </Group>
    ),
  },
  { label: 'External id', sort: 'externalId', from: 'lg', cell: ({ externalId }) => externalId ?? '–' },
  { label: 'Attributes', from: 'md', cell: ({ attributes }) => attributes.join(', ') || '–' },
  {
    label: 'Policy',
    from: 'md',
    cell: ({ authPolicy: { id, name } }) => (
      <PageLink to="/policies/$id" params={{ id }}>
        {name}
      </PageLink>
    ),
  },
  {
    label: 'Last login',
    sort: 'lastLoginAt',
    from: 'sm',
    cell: ({ lastLoginAt }) => <Ago at={lastLoginAt} none="never" />,
  },
  { label: 'Access until', sort: 'expiresAt', from: 'lg', cell: ({ expiresAt }) => <Ago at={expiresAt} /> },
  { label: 'State', cell: (identity) => <AccessBadge {...identity} /> },
]

const CSV: CsvExport<Identity> = {
  fileName: 'identities',
  columns: [
    ['id', ({ id }) => id],
    ['name', ({ name }) => name],
    ['externalId', ({ externalId }) => externalId],
    ['type', ({ typeId }) => typeId],
    ['attributes', ({ attributes }) => attributes.join(' ')],
    ['authPolicyId', ({ authPolicyId }) => authPolicyId],
    ['authPolicyName', ({ authPolicy }) => authPolicy.name],
    ['isAdmin', ({ isAdmin }) => isAdmin],
    ['disabled', ({ disabled }) => disabled],
    ['expiresAt', ({ expiresAt }) => expiresAt],
    ['lastLoginAt', ({ lastLoginAt }) => lastLoginAt],
    ['lastLoginMethod', ({ lastLoginMethod }) => lastLoginMethod],
    ['createdAt', ({ createdAt }) => createdAt],
  ],
}

export function IdentitiesPage() {
  const policies = usePolicyNames()
  const may = useMay()
  return (
    <ListPage<Identity>
      title="Identities"
      description="People, devices and services that can sign in."
      queryKey={['identities']}
      load={({ text: _, ...query }) => controller.identities.page(query)}
      searchFields={['name', 'externalId', 'id']}
      columns={COLUMNS}
      defaultSort="name asc"
      searchLabel="Search name, external id or id"
      filters={[
        STATE_FILTER,
        equalFilter('policy', 'Policy', 'authPolicyId', policies),
        ATTRIBUTE_FILTER,
        enrollmentFilter(may('GET /auth-decisions')),
        EXPIRY_FILTER,
        LOGIN_FILTER,
      ]}
      bulkActions={IDENTITY_BULK_ACTIONS}
      csv={CSV}
      emptyText="There are no identities."
      actions={<ButtonLink to="/identities/new">Add an identity</ButtonLink>}
    />
  )
}
