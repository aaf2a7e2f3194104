import type { Passkey } from '@countersign/sdk'
import { Group, Stack, Text } from '@mantine/core'
import { StateBadge } from './badges.tsx'
import { Instant } from './instant.tsx'

/** The name of a passkey, where it works, and when it was added and used. */
export function PasskeyLines({ passkey }: { readonly passkey: Passkey }) {
  const { name, rpId, isBackedUp, createdAt, lastUsedAt } = passkey
  return (
    <Stack gap={2} className="breakable">
      <Group gap="xs">
        <Text size="sm">{name}</Text>
        {isBackedUp && <StateBadge color="gray">Synced</StateBadge>}
      </Group>
      <Text size="xs" c="dimmed">
        for {rpId}, since <Instant at={createdAt} />, {lastUsedAt ? <LastUse at={lastUsedAt} /> : 'not used yet'}
      </Text>
    </Stack>
  )
}

function LastUse({ at }: { readonly at: string }) {
  return (
    <>
      last used <Instant at={at} />
    </>
  )
}
