import { Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { StateBadge } from '../../show/badges.tsx'
import { methodLabel } from '../../show/describe-event.ts'
import { Section } from '../../show/details.tsx'
import { Instant } from '../../show/instant.tsx'
import { Loaded } from '../../show/loaded.tsx'
import { ownDecisionsQuery, ownLoginsQuery } from './own-account.ts'
import { type RecentLogin, recentLogins } from './recent-logins.ts'

const MAX_SHOWN = 20

/** The caller's last accepted logins, and the refused ones of the last 24 hours. */
export function LoginsSection() {
  const accepted = useQuery(ownLoginsQuery)
  const refused = useQuery(ownDecisionsQuery)
  return (
    <Section title="Recent logins">
      <Text size="sm" c="dimmed">
        The last ten that were accepted, and refused ones of the last 24 hours.
      </Text>
      <Loaded query={accepted}>
        {({ items }) => (
          <Loaded query={refused}>
            {(decisions) => (
              <Stack component="ul" gap="xs" m={0} p={0} aria-label="Your recent logins">
                {recentLogins(items, decisions.items)
                  .slice(0, MAX_SHOWN)
                  .map((login) => (
                    <Login key={login.id} login={login} />
                  ))}
              </Stack>
            )}
          </Loaded>
        )}
      </Loaded>
    </Section>
  )
}

function Login({ login: { at, address, method, reason } }: { readonly login: RecentLogin }) {
  return (
    <Group component="li" justify="space-between" gap="0 xs" className="plain-item">
      <Group gap="xs">
        <StateBadge color={reason ? 'red' : 'green'}>{reason ? 'Refused' : 'Accepted'}</StateBadge>
        <Text size="sm" className="breakable">
          {method && `by ${methodLabel(method)}, `}
          {reason ? `from ${address}: ${reason}` : `from ${address}`}
        </Text>
      </Group>
      <Text size="xs" c="dimmed">
        <Instant at={at} />
      </Text>
    </Group>
  )
}
