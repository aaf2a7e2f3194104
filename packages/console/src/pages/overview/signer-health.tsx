import { Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { controller } from '../../api/client.ts'
import type { Signer } from '../../api/wire.ts'
import { Section } from '../../show/details.tsx'
import { PageLink } from '../../show/links.tsx'
import { Loaded } from '../../show/loaded.tsx'
import { KeyHealthBadge } from '../signers/key-health-badge.tsx'

const MAX_SHOWN = 20
const POLL_MS = 30_000

/** The signers with the state of their keys. */
export function SignerHealth() {
  const list = useQuery({
    queryKey: ['signers', 'overview'],
    queryFn: () => controller.signers.page({ limit: MAX_SHOWN, offset: 0, sort: 'name asc' }),
    refetchInterval: POLL_MS,
  })
  return (
    <Section title="Signers" aside={<PageLink to="/signers">All signers</PageLink>}>
      <Loaded query={list}>{({ items, total }) => <HealthList signers={items} total={total} />}</Loaded>
    </Section>
  )
}

function HealthList({ signers, total }: { readonly signers: readonly Signer[]; readonly total: number }) {
  if (signers.length === 0) return <Text c="dimmed">There are no signers yet.</Text>
  return (
    <Stack gap="xs">
      {signers.map((signer) => (
        <Group key={signer.id} justify="space-between" wrap="nowrap">
          <PageLink to="/signers/$id" params={{ id: signer.id }} className="breakable">
            {signer.name}
          </PageLink>
          <KeyHealthBadge signer={signer} />
        </Group>
      ))}
      {total > signers.length && (
        <Text size="sm" c="dimmed">
          and {total - signers.length} more
        </Text>
      )}
    </Stack>
  )
}
