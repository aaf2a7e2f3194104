import { hosted } from '../../api/client.ts'
import { loadHalPage } from '../../api/hosted-list.ts'
import type { Network } from '../../api/wire.ts'
import { ListPage } from '../../list/list-page.tsx'
import { StateBadge } from '../../show/badges.tsx'
import { Instant } from '../../show/instant.tsx'

/** The networks of the organization. */
export function NetworksPage() {
  return (
    <ListPage<Network>
      title="Networks"
      description="The networks of your organization, each with its controller."
      queryKey={['networks']}
      load={(request) => loadHalPage(hosted.networks, request)}
      columns={[
        { label: 'Name', sort: 'name', cell: ({ name }) => name },
        { label: 'Controller', from: 'sm', cell: ({ networkController }) => addressOf(networkController) },
        { label: 'Region', from: 'md', cell: ({ region }) => region ?? '–' },
        { label: 'Size', from: 'md', cell: ({ size }) => size ?? '–' },
        { label: 'Since', from: 'md', cell: ({ createdAt }) => <Instant at={createdAt} /> },
        {
          label: 'State',
          cell: ({ status }) => <StateBadge color={status === 'PROVISIONED' ? 'green' : 'orange'}>{status}</StateBadge>,
        },
      ]}
      defaultSort="name asc"
      searchLabel="Search by name"
      emptyText="There are no networks."
    />
  )
}

function addressOf(controller: Network['networkController']): string {
  return controller ? `${controller.domainName}:${controller.port}` : '–'
}
