import type { Identity } from '@countersign/sdk'
import { Group } from '@mantine/core'
import { controller } from '../../api/client.ts'
import { searchFilter } from '../../api/search-filter.ts'
import { ListPage } from '../../list/list-page.tsx'
import { EnabledBadge, StateBadge } from '../../show/badges.tsx'
import { ButtonLink, PageLink } from '../../show/links.tsx'

export function IdentitiesPage() {
  return (
    <ListPage<Identity>
      title="Identities"
      description="People, devices and services that can sign in."
      queryKey={['identities']}
      load={({ text, ...query }) =>
        controller.identities.page({ ...query, filter: searchFilter(['name', 'externalId', 'id'], text) })
      }
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
        { label: 'State', cell: ({ disabled }) => <EnabledBadge enabled={!disabled} /> },
      ]}
      defaultSort="name asc"
      searchLabel="Search name, external id or id"
      emptyText="There are no identities."
      actions={<ButtonLink to="/identities/new">Add an identity</ButtonLink>}
    />
  )
}
