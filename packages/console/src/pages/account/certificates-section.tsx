import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { CertificateSummary } from '../../show/certificate-summary.tsx'
import { Section } from '../../show/details.tsx'
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
          return certificates.map((one) => (
            <Stack key={one.id} gap={2}>
              <CertificateSummary authenticator={one} />
            </Stack>
          ))
        }}
      </Loaded>
    </Section>
  )
}
