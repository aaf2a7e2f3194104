import type { ApiSession } from '@countersign/sdk'
import { Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { controller } from '../../api/client.ts'
import { logOut, sessionQuery } from '../../api/session.ts'
import { ActionButton } from '../../show/action-button.tsx'
import { StateBadge } from '../../show/badges.tsx'
import { ConfirmButton } from '../../show/confirm-button.tsx'
import { methodLabel } from '../../show/describe-event.ts'
import { Section } from '../../show/details.tsx'
import { Instant } from '../../show/instant.tsx'
import { Loaded } from '../../show/loaded.tsx'
import { SessionState } from '../diagnosis/session-state.tsx'
import { ownSessionsQuery, reloadOwn } from './own-account.ts'

/** Where the caller is signed in. Ends the other sessions, one by one or all. */
export function OwnSessionsSection() {
  const { data: current } = useQuery(sessionQuery)
  const query = useQuery(ownSessionsQuery)
  const others = (query.data?.items ?? []).filter(({ id }) => id !== current?.id)
  const endOthers = async () => {
    for (const { id } of others) await controller.ownSessions.delete(id)
    await reloadOwn()
  }
  return (
    <Section
      title="Sessions"
      aside={
        others.length > 1 && (
          <ConfirmButton
            size="xs"
            label="End all others"
            name="your other sessions"
            warning="They are signed out now. This session stays."
            onConfirm={endOthers}
          />
        )
      }
    >
      <Loaded query={query}>
        {({ items, total }) => (
          <Stack component="ul" gap="sm" m={0} p={0} aria-label="Your sessions">
            {items.map((session) => (
              <OwnSession key={session.id} session={session} isCurrent={session.id === current?.id} />
            ))}
            {total > items.length && (
              <Text component="li" size="sm" c="dimmed" className="plain-item">
                and {total - items.length} more
              </Text>
            )}
          </Stack>
        )}
      </Loaded>
    </Section>
  )
}

function OwnSession({ session, isCurrent }: { readonly session: ApiSession; readonly isCurrent: boolean }) {
  const { id, ipAddress, createdAt, lastActivityAt, method, client, expiresAt, state } = session
  return (
    <Group component="li" justify="space-between" gap="xs" className="plain-item">
      <Stack gap={2}>
        <Group gap="xs">
          <Text size="sm" className="breakable">
            {ipAddress}
          </Text>
          {isCurrent && <StateBadge color="green">This one is you</StateBadge>}
          {state !== 'complete' && <SessionState session={session} />}
        </Group>
        <Text size="sm" className="breakable">
          {[method && `by ${methodLabel(method)}`, client].filter(Boolean).join(', ')}
        </Text>
        <Text size="xs" c="dimmed">
          since <Instant at={createdAt} />, last used <Instant at={lastActivityAt} />, until <Instant at={expiresAt} />
        </Text>
      </Stack>
      {isCurrent ? (
        <ActionButton size="xs" onAct={logOut}>
          Sign out
        </ActionButton>
      ) : (
        <ConfirmButton
          size="xs"
          label="End"
          name={`the session from ${ipAddress}`}
          warning="It is signed out now. If it was not you, change your password too."
          onConfirm={() => controller.ownSessions.delete(id).then(reloadOwn)}
        />
      )}
    </Group>
  )
}
