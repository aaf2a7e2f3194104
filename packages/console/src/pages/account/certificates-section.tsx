import type { Authenticator } from '@countersign/sdk'
import { Code, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { StateBadge } from '../../show/badges.tsx'
import { readCertificateDates } from '../../show/certificate-dates.ts'
import { Section } from '../../show/details.tsx'
import { Instant } from '../../show/instant.tsx'
import { Loaded } from '../../show/loaded.tsx'
import { ownAuthenticatorsQuery } from './own-account.ts'

/** The caller's certificates with their expiry. Programs renew and replace them. */
export function CertificatesSection() {
  const query = useQuery(ownAuthenticatorsQuery)
  return (
    <Section title="Certificates">
      <Loaded query={query}>
        {(authenticators) => {
          const certificates = authenticators.filter(({ method }) => method === 'cert')
          if (certificates.length === 0) return <Text c="dimmed">You have no certificate.</Text>
          return certificates.map((one) => <Certificate key={one.id} authenticator={one} />)
        }}
      </Loaded>
    </Section>
  )
}

function Certificate({
  authenticator: { fingerprint, certPem = '', createdAt },
}: {
  readonly authenticator: Authenticator
}) {
  const dates = readCertificateDates(certPem)
  const isExpired = dates !== undefined && dates.notAfter.getTime() <= Date.now()
  return (
    <Stack gap={2}>
      <Group gap="xs">
        <Code className="breakable">{fingerprint}</Code>
        {isExpired && <StateBadge color="red">Expired</StateBadge>}
      </Group>
      <Text size="sm" c="dimmed">
        Enrolled <Instant at={createdAt} />, valid until <Instant at={dates?.notAfter.toISOString()} />
      </Text>
    </Stack>
  )
}
