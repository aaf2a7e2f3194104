import { Alert, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { CallFailed } from '../../api/call-failed.ts'
import { controller } from '../../api/client.ts'
import { errorText } from '../../api/error-text.ts'
import { useMay } from '../../api/use-may.ts'
import type { SignerCertificate } from '../../api/wire.ts'
import { PemField } from '../../form/pem-field.tsx'
import { Details } from '../../show/details.tsx'
import { Instant } from '../../show/instant.tsx'
import { type SignerFormProps, signerField } from './sections/signer-field.tsx'
import { isCertificatePem } from './signer-values.ts'

const DEBOUNCE_MS = 300

/** The certificate with the signing key. Shows its contents, as parsed by the server, once it is pasted. */
export function CertificateFields({ form }: SignerFormProps) {
  const { certPem } = form.values
  const { facts, error } = useCertificateFacts(certPem)
  const field = signerField(form)
  const props = field('certPem', 'Certificate')
  return (
    <>
      <PemField required description="PEM text; its contents are shown below" {...props} error={props.error ?? error} />
      <div aria-live="polite">{facts && <CertificateNote facts={facts} />}</div>
      <TextInput
        {...field('kid', 'Key id (kid)')}
        description="Must equal the token's kid; default: the certificate's fingerprint"
      />
    </>
  )
}

function CertificateNote({ facts }: { readonly facts: SignerCertificate }) {
  const { commonName, fingerprint, notBefore, notAfter, keyKind, signatureAlgorithm, warnings } = facts
  return (
    <Alert color={warnings.length > 0 ? 'yellow' : 'green'} variant="light" title="Contents of the certificate">
      <Stack gap="sm">
        <Details
          rows={[
            ['Common name', commonName],
            ['Key', keyKind],
            ['Valid from', <Instant key="from" at={notBefore} />],
            ['Valid until', <Instant key="until" at={notAfter} />],
            ['Signature algorithm', signatureAlgorithm],
            ['Fingerprint (SHA-1)', fingerprint],
          ]}
        />
        {warnings.map((warning) => (
          <Text key={warning} size="sm" fw={600}>
            {warning}
          </Text>
        ))}
      </Stack>
    </Alert>
  )
}

/** Returns nothing without the permission to create signers; the signer's page shows the certificate once it is saved. */
function useCertificateFacts(certPem: string): { facts: SignerCertificate | undefined; error: string | undefined } {
  const may = useMay()
  const [debounced] = useDebouncedValue(certPem, DEBOUNCE_MS)
  const { data, error } = useQuery({
    queryKey: ['certificate', debounced],
    queryFn: () => controller.signers.readCertificate(debounced),
    enabled: may('POST /ext-jwt-signers/read-certificate') && isCertificatePem(debounced),
    staleTime: 60_000,
    gcTime: 60_000,
  })
  const isCurrent = debounced === certPem
  const isRefused = error instanceof CallFailed && error.field === 'certPem'
  return { facts: isCurrent ? data : undefined, error: isCurrent && isRefused ? errorText(error) : undefined }
}
