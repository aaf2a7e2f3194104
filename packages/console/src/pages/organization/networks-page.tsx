import { Group } from '@mantine/core'
import { hosted } from '../../api/client.ts'
import { loadHalPage } from '../../api/hosted-list.ts'
import type { Network } from '../../api/wire.ts'
import { ListPage } from '../../list/list-page.tsx'
import { StateBadge } from '../../show/badges.tsx'
import { Instant } from '../../show/instant.tsx'
import { ButtonLink, PageLink } from '../../show/links.tsx'
import { NETWORKS_CSV } from './organization-csv.ts'

export function NetworksPage() {
  return (
    <ListPage<Network>
      title="Networks"
      description="The networks of your organization, each with its controller. API accounts see this list."
      queryKey={['networks']}
      load={(request) => loadHalPage(hosted.networks, request)}
      columns={[
        { label: 'Name', sort: 'name', cell: (network) => <NetworkName network={network} /> },
        { label: 'Controller', from: 'sm', cell: ({ networkController }) => addressOf(networkController) },
        { label: 'Region', from: 'md', cell: ({ region }) => region || '–' },
        { label: 'Size', from: 'md', cell: ({ size }) => size || '–' },
        { label: 'Created', from: 'md', cell: ({ createdAt }) => <Instant at={createdAt} /> },
        {
          label: 'State',
          cell: ({ status }) => (
            <StateBadge color={status === 'PROVISIONED' ? 'green' : 'orange'}>{statusLabel(status)}</StateBadge>
          ),
        },
      ]}
      defaultSort="name asc"
      searchLabel="Search by name"
      csv={NETWORKS_CSV}
      emptyText="There are no networks."
      actions={<ButtonLink to="/organization/networks/new">Add a network</ButtonLink>}
    />
  )
}

function NetworkName({ network: { id, name, isLocal } }: { readonly network: Network }) {
  return (
    <Group gap="xs">
      <PageLink to="/organization/networks/$id" params={{ id }}>
        {name}
      </PageLink>
      {isLocal && <StateBadge color="blue">This controller</StateBadge>}
    </Group>
  )
}

/** PROVISIONED becomes Provisioned. */
function statusLabel(status: string): string {
  return status.charAt(0) + status.slice(1).toLowerCase().replaceAll('_', ' ')
}

function addressOf(controller: Network['networkController']): string {
  return controller ? `${controller.domainName}:${controller.port}` : '–'
}
