import type { Authenticator } from '@countersign/sdk'
import { Code, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { CertificateExpiry } from '../../show/certificate-expiry.tsx'
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

function Certificate({ authenticator }: { readonly authenticator: Authenticator }) {
  const { fingerprint, certPem, createdAt } = authenticator
  return (
    <Stack gap={2}>
      <Code className="breakable">{fingerprint}</Code>
      <Text size="xs" c="dimmed">
        since <Instant at={createdAt} />
      </Text>
      <CertificateExpiry pem={certPem} />
    </Stack>
  )
}
