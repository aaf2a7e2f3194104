import { Group, Text } from '@mantine/core'
import { StateBadge } from './badges.tsx'
import { readCertificateDates } from './certificate-dates.ts'
import { Instant } from './instant.tsx'

const SOON_MS = 30 * 86_400_000

/** Until when a certificate is valid, with a badge when it has expired or expires within 30 days. */
export function CertificateExpiry({ pem }: { readonly pem: string | undefined }) {
  const dates = readCertificateDates(pem ?? '')
  if (!dates) return null
  const left = dates.notAfter.getTime() - Date.now()
  return (
    <Group gap="xs">
      <Text size="xs" c="dimmed">
        valid until <Instant at={dates.notAfter.toISOString()} />
      </Text>
      {left <= 0 && <StateBadge color="red">Expired</StateBadge>}
      {left > 0 && left <= SOON_MS && <StateBadge color="orange">Expires soon</StateBadge>}
    </Group>
  )
}
