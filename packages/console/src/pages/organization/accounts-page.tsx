import { Group } from '@mantine/core'
import { useState } from 'react'
import { hosted } from '../../api/client.ts'
import { loadWhole } from '../../api/hosted-list.ts'
import { queries } from '../../api/queries.ts'
import type { Account, Credentials } from '../../api/wire.ts'
import { ListPage } from '../../list/list-page.tsx'
import { ActionButton } from '../../show/action-button.tsx'
import { EnabledBadge } from '../../show/badges.tsx'
import { ConfirmButton } from '../../show/confirm-button.tsx'
import { ButtonLink } from '../../show/links.tsx'
import { CredentialsDialog } from './credentials-dialog.tsx'

/** The machines of the organization, and their credentials. */
export function AccountsPage() {
  const [rotated, setRotated] = useState<Credentials>()
  return (
    <>
      <ListPage<Account>
        title="Manage API Account"
        description="Machines that call the management API. Each gets its access tokens from an identity provider, with the credentials file that is made here."
        queryKey={['accounts']}
        load={(request) => loadWhole(hosted.accounts, request)}
        columns={[
          { label: 'Name', sort: 'name', cell: ({ name }) => name },
          { label: 'Contact', sort: 'contactEmail', from: 'md', cell: ({ contactEmail }) => contactEmail ?? '–' },
          { label: 'Description', from: 'lg', cell: ({ description }) => description ?? '–' },
          { label: 'Client id', from: 'md', cell: ({ clientId }) => clientId ?? '–' },
          { label: 'Role', sort: 'role', from: 'sm', cell: ({ role }) => role },
          { label: 'State', cell: ({ active }) => <EnabledBadge enabled={active} /> },
          { label: 'Actions', cell: (account) => <AccountActions account={account} onRotated={setRotated} /> },
        ]}
        defaultSort="name asc"
        searchLabel="Search by name"
        emptyText="There are no API accounts yet. Add one and download its credentials file."
        actions={<ButtonLink to="/organization/api-accounts/new">Add an account</ButtonLink>}
      />
      <CredentialsDialog credentials={rotated} onClose={() => setRotated(undefined)} />
    </>
  )
}

interface AccountActionsProps {
  readonly account: Account
  readonly onRotated: (credentials: Credentials | undefined) => void
}

function AccountActions({ account: { id, name, active }, onRotated }: AccountActionsProps) {
  const reload = () => queries.invalidateQueries({ queryKey: ['accounts'] })
  const rotate = async () => {
    const { credentials } = await hosted.accounts.rotate(id)
    await reload()
    onRotated(credentials)
  }
  const setActive = (next: boolean) => hosted.accounts.update(id, { active: next }).then(reload)
  return (
    <Group gap={6}>
      <ConfirmButton
        size="xs"
        label="Rotate"
        name={name}
        warning="New credentials are made now. The old ones go on for 60 minutes, so that nothing stops meanwhile."
        onConfirm={rotate}
        isDangerous={false}
      />
      {active ? (
        <ConfirmButton
          size="xs"
          label="Disable"
          name={name}
          warning="Its next call is refused, whatever token it has."
          onConfirm={() => setActive(false)}
        />
      ) : (
        <ActionButton size="xs" label={`Enable ${name}`} onAct={() => setActive(true)} done="The account is enabled.">
          Enable
        </ActionButton>
      )}
      <ConfirmButton
        size="xs"
        label="Delete"
        name={name}
        warning="Its next call is refused, and its client is taken away at the provider. This cannot be undone."
        onConfirm={() => hosted.accounts.delete(id).then(reload)}
      />
    </Group>
  )
}
