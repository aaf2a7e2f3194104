import type { Identity } from '@countersign/sdk'
import { Group, NativeSelect } from '@mantine/core'
import { useState } from 'react'
import { controller } from '../../api/client.ts'
import { searchFilter } from '../../api/search-filter.ts'
import { ListPage } from '../../list/list-page.tsx'
import { AccessBadge, StateBadge } from '../../show/badges.tsx'
import { Instant } from '../../show/instant.tsx'
import { ButtonLink, PageLink } from '../../show/links.tsx'
import { ACCESS_OPTIONS, type Access, accessFilter, bothFilters } from './access-filter.ts'

export function IdentitiesPage() {
  const [access, setAccess] = useState<Access>('all')
  return (
    <ListPage<Identity>
      title="Identities"
      description="People, devices and services that can sign in."
      queryKey={['identities', access]}
      load={({ text, ...query }) =>
        controller.identities.page({
          ...query,
          filter: bothFilters(searchFilter(['name', 'externalId', 'id'], text), accessFilter(access, Date.now())),
        })
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
        { label: 'Access until', sort: 'expiresAt', from: 'md', cell: ({ expiresAt }) => <Instant at={expiresAt} /> },
        { label: 'State', cell: (identity) => <AccessBadge {...identity} /> },
      ]}
      defaultSort="name asc"
      searchLabel="Search name, external id or id"
      emptyText={access === 'all' ? 'There are no identities.' : 'There are no such identities.'}
      filters={
        <NativeSelect
          label="End of access"
          data={ACCESS_OPTIONS}
          value={access}
          onChange={({ currentTarget }) => setAccess(currentTarget.value as Access)}
        />
      }
      actions={<ButtonLink to="/identities/new">Add an identity</ButtonLink>}
    />
  )
}
