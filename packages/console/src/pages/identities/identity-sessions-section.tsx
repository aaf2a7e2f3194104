import { Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { loadPage, quote } from '../../api/list.ts'
import { API_SESSIONS, IDENTITIES, one } from '../../api/paths.ts'
import type { ApiSession, Identity } from '../../api/wire.ts'
import { ConfirmButton } from '../../show/confirm-button.tsx'
import { Section } from '../../show/details.tsx'
import { Instant } from '../../show/instant.tsx'
import { Loaded } from '../../show/loaded.tsx'
import { EndSession } from '../diagnosis/sessions-page.tsx'
import { reloadIdentities } from './identity-query.ts'

const MOST_SHOWN = 50
const LOOK_EVERY_MS = 10_000

/** Where an identity is signed in. */
export function IdentitySessionsSection({ identity: { id, name } }: { readonly identity: Identity }) {
  const query = useQuery({
    queryKey: ['sessions', 'identity', id],
    queryFn: () =>
      loadPage<ApiSession>(API_SESSIONS, { limit: MOST_SHOWN, offset: 0, filter: `identity = ${quote(id)}` }),
    refetchInterval: LOOK_EVERY_MS,
  })
  const endAll = () => call('DELETE', `${one(IDENTITIES, id)}/api-sessions`).then(reloadIdentities)
  return (
    <Section
      title="Sessions"
      aside={
        (query.data?.total ?? 0) > 1 && (
          <ConfirmButton
            size="xs"
            label="End all"
            name={`the sessions of ${name}`}
            warning="All of them end now. Whoever may sign in can do so again."
            onConfirm={endAll}
          />
        )
      }
    >
      <Loaded query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Text c="dimmed">Not signed in anywhere.</Text>
          ) : (
            <Table aria-label="Sessions">
              <Table.Tbody>
                {items.map((session) => (
                  <Table.Tr key={session.id}>
                    <Table.Td>{session.ipAddress}</Table.Td>
                    <Table.Td visibleFrom="sm">
                      since <Instant at={session.createdAt} />
                    </Table.Td>
                    <Table.Td ta="right">
                      <EndSession session={session} />
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
