import { type Identity, quoteForFilter } from '@countersign/sdk'
import { Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { controller } from '../../api/client.ts'
import { useMay } from '../../api/use-may.ts'
import { ConfirmButton } from '../../show/confirm-button.tsx'
import { Section } from '../../show/details.tsx'
import { Instant } from '../../show/instant.tsx'
import { Loaded } from '../../show/loaded.tsx'
import { SessionState } from '../diagnosis/session-state.tsx'
import { EndSession } from '../diagnosis/sessions-page.tsx'
import { reloadIdentities } from './identity-query.ts'

const MAX_SHOWN = 50
const POLL_MS = 10_000

export function IdentitySessionsSection({ identity }: { readonly identity: Identity }) {
  const { id, name } = identity
  const may = useMay()
  const query = useQuery({
    queryKey: ['sessions', 'identity', id],
    queryFn: () => controller.apiSessions.page({ limit: MAX_SHOWN, filter: `identity = ${quoteForFilter(id)}` }),
    refetchInterval: POLL_MS,
    enabled: may('GET /api-sessions'),
  })
  if (!may('GET /api-sessions')) return null
  const endAll = () => controller.identities.endSessions(id).then(reloadIdentities)
  return (
    <Section
      title="Sessions"
      aside={
        (query.data?.total ?? 0) > 1 && (
          <ConfirmButton
            size="xs"
            label="End all"
            name={`the sessions of ${name}`}
            need="DELETE /identities/:id/api-sessions"
            over={identity}
            warning="All of them end now. The identity can sign in again."
            onConfirm={endAll}
          />
        )
      }
    >
      <Loaded query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Text c="dimmed">No sessions.</Text>
          ) : (
            <Table aria-label="Sessions">
              <Table.Tbody>
                {items.map((session) => (
                  <Table.Tr key={session.id}>
                    <Table.Td>{session.ipAddress}</Table.Td>
                    <Table.Td>
                      <SessionState session={session} />
                    </Table.Td>
                    <Table.Td visibleFrom="sm">
                      since <Instant at={session.createdAt} />
                    </Table.Td>
                    <Table.Td ta="right">
                      <EndSession session={session} over={identity} />
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          )
        }
      </Loaded>
    </Section>
  )
}
