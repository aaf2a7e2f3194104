import { Stack } from '@mantine/core'
import { notifications } from '@mantine/notifications'
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
import { NetworkForm } from './network-form.tsx'

const BACK = <PageLink to="/organization/networks">Networks</PageLink>

export function NetworkPage() {
  const { id } = useParams({ from: '/shell/organization/networks/$id' })
  const leave = useLeave()
  const query = useFreshQuery({
    queryKey: ['networks', 'one', id],
    queryFn: () => loadVersioned(hosted.networks, id),
  })
  return (
    <Loaded query={query} back={BACK}>
      {(network) => (
        <Stack>
          <PageHead title={network.name} back={BACK}>
            <HistoryLink id={id} />
            {!network.isLocal && (
              <ConfirmButton
                label="Delete"
                name={network.name}
                warning="API accounts no longer see it. Its controller is not changed."
                onConfirm={() => hosted.networks.delete(id).then(() => leave())}
                done={`The network “${network.name}” is deleted.`}
              />
            )}
          </PageHead>
          <NetworkForm
            network={network}
            onSend={(_, changed) =>
              hosted.networks
                .update(id, changed, { ifMatch: network.version })
                .then(() => leave('The network is saved.'))
            }
            submitLabel="Save"
          />
        </Stack>
      )}
    </Loaded>
  )
}

export function NewNetworkPage() {
  const leave = useLeave()
  return (
    <Stack>
      <PageHead
        title="Add a network"
        description="Adds a network with an existing controller to the list that API accounts see."
        back={BACK}
      />
      <NetworkForm
        onSend={(body) => hosted.networks.create(body).then(({ id }) => leave('The network is added.', id))}
        submitLabel="Add the network"
      />
    </Stack>
  )
}

/** Leads to the list, or to one of its items. */
function useLeave(): (message?: string, id?: string) => Promise<void> {
  const navigate = useNavigate()
  return async (message, id) => {
    await (id === undefined
      ? navigate({ to: '/organization/networks' })
      : navigate({ to: '/organization/networks/$id', params: { id } }))
    await queries.invalidateQueries({ queryKey: ['networks'] })
    if (message) notifications.show({ message, color: 'green' })
  }
}
