import { List, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { hosted } from '../../api/client.ts'
import { queries } from '../../api/queries.ts'
import { useFreshQuery } from '../../api/use-fresh-query.ts'
import { loadVersioned } from '../../api/versioned.ts'
import { ConfirmButton } from '../../show/confirm-button.tsx'
import { HistoryLink } from '../../show/history-link.tsx'
import { PageLink } from '../../show/links.tsx'
import { Loaded } from '../../show/loaded.tsx'
import { PageHead } from '../../show/page-head.tsx'
import { ProviderForm } from './provider-form.tsx'
import { TestSection } from './test-section.tsx'

const BACK = <PageLink to="/organization/providers">Identity providers</PageLink>

export function ProviderPage() {
  const { id } = useParams({ from: '/shell/organization/providers/$id' })
  const leave = useLeave()
  const query = useFreshQuery({
    queryKey: ['providers', 'one', id],
    queryFn: () => loadVersioned(hosted.providers, id),
  })
  return (
    <Loaded query={query} back={BACK}>
      {(provider) => (
        <Stack>
          <PageHead title={provider.name} back={BACK}>
            <HistoryLink id={id} />
            <ConfirmButton
              label="Delete"
              name={provider.name}
              warning={<DeleteWarning providerId={id} />}
              onConfirm={() => hosted.providers.delete(id).then(() => leave())}
              done={`The identity provider “${provider.name}” is deleted.`}
            />
          </PageHead>
          <TestSection id={id} />
          <ProviderForm
            provider={provider}
            onSend={(_, changed) =>
              hosted.providers
                .update(id, changed, { ifMatch: provider.version })
                .then(() => leave('The identity provider is saved.'))
            }
            submitLabel="Save"
          />
        </Stack>
      )}
    </Loaded>
  )
}

export function NewProviderPage() {
  const leave = useLeave()
  return (
    <Stack>
      <PageHead
        title="Add an identity provider"
        description="Its URLs are read from its discovery document; values entered here take precedence."
        back={BACK}
      />
      <ProviderForm
        onSend={(body) => hosted.providers.create(body).then(({ id }) => leave('The identity provider is added.', id))}
        submitLabel="Add the provider"
      />
    </Stack>
  )
}

function DeleteWarning({ providerId }: { readonly providerId: string }) {
  const { data = [] } = useQuery({
    queryKey: ['accounts', 'all'],
    queryFn: () => hosted.accounts.all(),
  })
  const accounts = data.filter(({ identityProviderId }) => identityProviderId === providerId)
  if (accounts.length === 0) return <>Its tokens are refused. This cannot be undone.</>
  return (
    <>
      <Text size="sm" mb={4}>
        It cannot be deleted while API accounts get their tokens there. Delete these first:
      </Text>
      <List size="sm" spacing={4}>
        {accounts.map(({ id, name }) => (
          <List.Item key={id} className="breakable">
            <PageLink to="/organization/api-accounts/$id" params={{ id }} inherit>
              {name}
            </PageLink>
          </List.Item>
        ))}
      </List>
    </>
  )
}

/** Leads to the list, or to one of its items. */
function useLeave(): (message?: string, id?: string) => Promise<void> {
  const navigate = useNavigate()
  return async (message, id) => {
    await (id === undefined
      ? navigate({ to: '/organization/providers' })
      : navigate({ to: '/organization/providers/$id', params: { id } }))
    await queries.invalidateQueries({ queryKey: ['providers'] })
    if (message) notifications.show({ message, color: 'green' })
  }
}
