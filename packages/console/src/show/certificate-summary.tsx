import type { Authenticator } from '@countersign/sdk'
import { Code, Text } from '@mantine/core'
import { CertificateExpiry } from './certificate-expiry.tsx'
import { Instant } from './instant.tsx'

/** The fingerprint of a certificate that logs in, and its dates. */
export function CertificateSummary({ authenticator }: { readonly authenticator: Authenticator }) {
  const { fingerprint, certPem, createdAt } = authenticator
  return (
    <>
      <Code className="breakable">{fingerprint}</Code>
      <Text size="xs" c="dimmed">
        since <Instant at={createdAt} />
      </Text>
      <CertificateExpiry pem={certPem} />
    </>
  )
}
