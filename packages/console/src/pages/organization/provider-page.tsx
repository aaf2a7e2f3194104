import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { hosted } from '../../api/client.ts'
import { queries } from '../../api/queries.ts'
import { ConfirmButton } from '../../show/confirm-button.tsx'
import { PageLink } from '../../show/links.tsx'
import { Loaded } from '../../show/loaded.tsx'
import { PageHead } from '../../show/page-head.tsx'
import { ProviderForm } from './provider-form.tsx'

const BACK = <PageLink to="/organization/providers">Identity providers</PageLink>

export function ProviderPage() {
  const { id } = useParams({ from: '/shell/organization/providers/$id' })
  const leave = useLeave()
  const query = useQuery({
    queryKey: ['providers', 'one', id],
    queryFn: () => hosted.providers.get(id),
    refetchOnWindowFocus: false,
  })
  return (
    <Loaded query={query}>
      {(provider) => (
        <Stack>
          <PageHead title={provider.name} back={BACK}>
            <ConfirmButton
              label="Delete"
              name={provider.name}
              warning="Its tokens are refused from now on."
              onConfirm={() => hosted.providers.delete(id).then(leave)}
            />
          </PageHead>
          <ProviderForm
            provider={provider}
            onSend={(body) => hosted.providers.update(id, body).then(leave)}
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
        description="Its addresses are read from its discovery document; what is given here wins."
        back={BACK}
      />
      <ProviderForm onSend={(body) => hosted.providers.create(body).then(leave)} submitLabel="Add the provider" />
    </Stack>
  )
}

function useLeave(): () => Promise<void> {
  const navigate = useNavigate()
  return async () => {
    await navigate({ to: '/organization/providers' })
    await queries.invalidateQueries({ queryKey: ['providers'] })
  }
}
