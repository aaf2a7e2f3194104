import { Group } from '@mantine/core'
import { hosted } from '../../api/client.ts'
import { loadAndPage } from '../../api/hosted-list.ts'
import type { OperatorOrganization } from '../../api/wire.ts'
import { ListPage } from '../../list/list-page.tsx'
import { StateBadge } from '../../show/badges.tsx'
import { PageLink } from '../../show/links.tsx'
import { ORGANIZATIONS_CSV } from './organization-csv.ts'

/** All organizations of the controller, for its operator. */
export function OrganizationsPage() {
  return (
    <ListPage<OperatorOrganization>
      title="Organizations"
      description="The organizations on this controller, with what they have of what they may have. Only administrators of this controller see this page."
      queryKey={['organizations']}
      load={(request) => loadAndPage(hosted.operatorOrganizations, request)}
      columns={[
        { label: 'Name', sort: 'name', cell: (organization) => <OrganizationName organization={organization} /> },
        { label: 'Label', sort: 'label', from: 'sm', cell: ({ label }) => label },
        { label: 'Networks', from: 'md', cell: ({ usage, quotas }) => `${usage.networks} of ${quotas.networks}` },
        { label: 'API accounts', from: 'md', cell: ({ usage, quotas }) => `${usage.accounts} of ${quotas.accounts}` },
        { label: 'Providers', from: 'md', cell: ({ usage, quotas }) => `${usage.providers} of ${quotas.providers}` },
        { label: 'State', cell: ({ active }) => <ActivityBadge isActive={active} /> },
      ]}
      defaultSort="name asc"
      searchLabel="Search by name"
      csv={ORGANIZATIONS_CSV}
      emptyText="There are no organizations."
    />
  )
}

function OrganizationName({ organization }: { readonly organization: OperatorOrganization }) {
  const { id, name, isOperator } = organization
  return (
    <Group gap="xs">
      <PageLink to="/organization/all/$id" params={{ id }}>
        {name}
      </PageLink>
      {isOperator && <StateBadge color="blue">Operator</StateBadge>}
    </Group>
  )
}

export function ActivityBadge({ isActive }: { readonly isActive: boolean }) {
  return <StateBadge color={isActive ? 'green' : 'orange'}>{isActive ? 'Active' : 'Suspended'}</StateBadge>
}
