import { roleName } from '@countersign/contract/account-roles'
import { Group } from '@mantine/core'
import { hosted } from '../../api/client.ts'
import { loadAndPage } from '../../api/hosted-list.ts'
import type { Account } from '../../api/wire.ts'
import { ListPage } from '../../list/list-page.tsx'
import { EnabledBadge } from '../../show/badges.tsx'
import { Instant } from '../../show/instant.tsx'
import { ButtonLink, PageLink } from '../../show/links.tsx'
import { AccountActions } from './account-actions.tsx'
import { ACCOUNTS_CSV } from './organization-csv.ts'

export function AccountsPage() {
  return (
    <ListPage<Account>
      title="Manage API Account"
      description="API accounts are machines that call the API. Each gets its access tokens from an identity provider, with the credentials file created here."
      queryKey={['accounts']}
      load={(request) => loadAndPage(hosted.accounts, request)}
      columns={[
        {
          label: 'Name',
          sort: 'name',
          cell: ({ id, name }) => (
            <PageLink to="/organization/api-accounts/$id" params={{ id }}>
              {name}
            </PageLink>
          ),
        },
        { label: 'Contact', sort: 'contactEmail', from: 'md', cell: ({ contactEmail }) => contactEmail || '–' },
        { label: 'Role', sort: 'role', from: 'sm', cell: ({ role }) => roleName(role) },
        { label: 'Last used', from: 'md', cell: ({ lastUsedAt }) => <Instant at={lastUsedAt} /> },
        { label: 'State', cell: ({ active }) => <EnabledBadge enabled={active} /> },
        {
          label: 'Actions',
          from: 'md',
          cell: (account) => (
            <Group gap={6} wrap="nowrap">
              <AccountActions account={account} size="xs" />
            </Group>
          ),
        },
      ]}
      defaultSort="name asc"
      searchLabel="Search by name"
      csv={ACCOUNTS_CSV}
      emptyText="There are no API accounts yet. Add one and download its credentials file."
      actions={
        <>
          <ButtonLink to="/organization/api-accounts/new-federated" variant="default">
            Add one without secrets
          </ButtonLink>
          <ButtonLink to="/organization/api-accounts/new">Add an account</ButtonLink>
        </>
      }
    />
  )
}
