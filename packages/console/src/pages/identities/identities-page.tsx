import type { Identity } from '@countersign/sdk'
import { Group } from '@mantine/core'
import { controller } from '../../api/client.ts'
import { ListPage } from '../../list/list-page.tsx'
import { AccessBadge, StateBadge } from '../../show/badges.tsx'
import { Instant } from '../../show/instant.tsx'
import { ButtonLink, PageLink } from '../../show/links.tsx'
import { EXPIRY_FILTER } from './identity-filters.ts'

export function IdentitiesPage() {
  return (
    <ListPage<Identity>
      title="Identities"
      description="People, devices and services that can sign in."
      queryKey={['identities']}
      load={({ text: _, ...query }) => controller.identities.page(query)}
      searchFields={['name', 'externalId', 'id']}
      columns={[
        {
          label: 'Name',
          sort: 'name',
          cell: ({ id, name, isAdmin }) => (
            <Group gap="xs">
              <PageLink to="/identities/$id" params={{ id }} className="breakable">
                {name}
              </PageLink>
              {isAdmin && <StateBadge color="blue">Administrator</StateBadge>}
            </Group>
          ),
        },
        { label: 'External id', sort: 'externalId', from: 'md', cell: ({ externalId }) => externalId ?? '–' },
        { label: 'Attributes', from: 'sm', cell: ({ attributes }) => attributes.join(', ') || '–' },
        { label: 'Policy', from: 'md', cell: ({ authPolicy }) => authPolicy.name },
        { label: 'Access until', sort: 'expiresAt', from: 'md', cell: ({ expiresAt }) => <Instant at={expiresAt} /> },
        { label: 'State', cell: (identity) => <AccessBadge {...identity} /> },
      ]}
      defaultSort="name asc"
      searchLabel="Search name, external id or id"
      emptyText="There are no identities."
      filters={[EXPIRY_FILTER]}
      actions={<ButtonLink to="/identities/new">Add an identity</ButtonLink>}
    />
  )
}
