import { findWorkloadSnippet } from '@countersign/contract/workload-presets'
import { Alert, Code, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { hosted } from '../../api/client.ts'
import { queries } from '../../api/queries.ts'
import type { Account, Credentials } from '../../api/wire.ts'
import { claimLines } from '../../form/claim-rows.ts'
import { ActionButton } from '../../show/action-button.tsx'
import { EnabledBadge } from '../../show/badges.tsx'
import { Details, Section } from '../../show/details.tsx'
import { HistoryLink } from '../../show/history-link.tsx'
import { Instant } from '../../show/instant.tsx'
import { PageLink } from '../../show/links.tsx'
import { Loaded } from '../../show/loaded.tsx'
import { PageHead } from '../../show/page-head.tsx'
import { AccountActions } from './account-actions.tsx'
import { FreshAccountForm } from './account-form.tsx'
import { CredentialsDialog } from './credentials-dialog.tsx'

const BACK = <PageLink to="/organization/api-accounts">Manage API Account</PageLink>

export function AccountPage() {
  const { id } = useParams({ from: '/shell/organization/api-accounts/$id' })
  const navigate = useNavigate()
  const [edits, setEdits] = useState(0)
  const reopenForm = () => setEdits((count) => count + 1)
  const query = useQuery({
    queryKey: ['accounts', 'one', id],
    queryFn: () => hosted.accounts.get(id),
    refetchOnWindowFocus: false,
  })
  return (
    <Loaded query={query} back={BACK}>
      {(account) => (
        <Stack>
          <PageHead title={account.name} back={BACK}>
            <HistoryLink id={id} />
            <AccountActions
              account={account}
              onChanged={reopenForm}
              onDeleted={() => navigate({ to: '/organization/api-accounts' })}
            />
          </PageHead>
          <Section title="Tokens" aside={<EnabledBadge enabled={account.active} />}>
            <Details
              rows={[
                ...(account.kind === 'client'
                  ? ([
                      ['Client id', account.clientId],
                      ['Authentication URL', account.authenticationUrl],
                    ] as const)
                  : []),
                ['Identity provider', <ProviderName key="provider" id={account.identityProviderId} />],
                ['Last used', <Instant key="used" at={account.lastUsedAt} />],
                ['Last used from', account.lastUsedFrom],
                ['Access until', account.expiresAt ? <Instant key="expires" at={account.expiresAt} /> : 'unlimited'],
                ['Credentials from', <Instant key="rotated" at={timeOf(account.rotatedAt)} />],
                ['Next rotation', <Instant key="rotates" at={timeOf(account.rotatesAt)} />],
              ]}
            />
          </Section>
          <PickUpNote account={account} />
          {account.kind === 'client' ? <FileSection account={account} /> : <JobSection account={account} />}
          <FreshAccountForm key={edits} id={id} edits={edits} onSaved={reopenForm} />
        </Stack>
      )}
    </Loaded>
  )
}

/** The credentials file without the password, which is not stored. */
function FileSection({ account: { clientId, authenticationUrl } }: { readonly account: Account }) {
  const members = { clientId, password: '(the secret of this client)', authenticationUrl }
  return (
    <Section title="Credentials file">
      <Text size="sm" c="dimmed">
        The password is only in the downloaded file. For a client that existed at the provider before, enter its secret.
      </Text>
      <Code block className="wrapped-code">
        {JSON.stringify(members, null, 2)}
      </Code>
    </Section>
  )
}

/** What a job needs to act as the account. */
function JobSection({ account: { conditions } }: { readonly account: Account }) {
  const { data } = useQuery({ queryKey: ['organization'], queryFn: () => hosted.organizations.all() })
  const audience = data?.[0]?.audience ?? ''
  const snippet = findWorkloadSnippet(conditions ?? {}, audience, window.location.origin)
  return (
    <Section title="Without secrets">
      <Details
        rows={[
          ['Conditions', claimLines(conditions).map((line) => <div key={line}>{line}</div>)],
          ['Audience to request', audience],
        ]}
      />
      {snippet && (
        <Code block className="wrapped-code">
          {snippet}
        </Code>
      )}
    </Section>
  )
}

/** Offers the credentials of a planned rotation, once. */
function PickUpNote({ account: { id, name, pickUpUntil } }: { readonly account: Account }) {
  const [credentials, setCredentials] = useState<Credentials>()
  const pickUp = async () => {
    setCredentials((await hosted.accounts.pickUp(id)).credentials)
    await queries.invalidateQueries({ queryKey: ['accounts'] })
  }
  return (
    <>
      {pickUpUntil && (
        <Alert color="orange" title="New credentials are waiting">
          <Stack gap="xs" align="start">
            <Text size="sm">
              They were made by the plan of rotation. The old ones end at <Instant at={timeOf(pickUpUntil)} />. They can
              be picked up once, here or by the account itself.
            </Text>
            <ActionButton size="xs" label={`Pick up the credentials of ${name}`} onAct={pickUp}>
              Pick up
            </ActionButton>
          </Stack>
        </Alert>
      )}
      <CredentialsDialog credentials={credentials} onClose={() => setCredentials(undefined)} />
    </>
  )
}

const timeOf = (time: Account['rotatesAt']): string | null =>
  time === null ? null : new Date(time.epochSecond * 1000).toISOString()

function ProviderName({ id }: { readonly id: string }) {
  const { data } = useQuery({
    queryKey: ['providers', 'one', id],
    queryFn: () => hosted.providers.get(id),
  })
  return (
    <PageLink to="/organization/providers/$id" params={{ id }} inherit>
      {data?.name ?? id}
    </PageLink>
  )
}
