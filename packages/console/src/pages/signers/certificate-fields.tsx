import { Alert, Stack, Text, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { CallFailed } from '../../api/call-failed.ts'
import { controller } from '../../api/client.ts'
import type { SignerCertificate } from '../../api/wire.ts'
import { PemField } from '../../form/pem-field.tsx'
import { Details } from '../../show/details.tsx'
import { Instant } from '../../show/instant.tsx'
import { isCertificatePem, type SignerValues } from './signer-values.ts'

const TYPING_PAUSE_MS = 300

/** The certificate whose key signs the tokens, with what the server reads in it while it is pasted. */
export function CertificateFields({ form }: { readonly form: UseFormReturnType<SignerValues> }) {
  const { certPem } = form.values
  const { facts, problem } = useCertificateFacts(certPem)
  const props = form.getInputProps('certPem')
  return (
    <>
      <PemField
        label="Certificate"
        required
        description="PEM text; what is in it is shown below"
        {...props}
        error={props.error ?? problem}
      />
      <div aria-live="polite">{facts && <CertificateNote facts={facts} />}</div>
      <TextInput
        label="Key id"
        description="That tokens must name in kid; without it, the certificate's fingerprint"
        {...form.getInputProps('kid')}
      />
    </>
  )
}

function CertificateNote({ facts }: { readonly facts: SignerCertificate }) {
  const { commonName, fingerprint, notBefore, notAfter, keyKind, signatureAlgorithm, warnings } = facts
  return (
    <Alert color={warnings.length > 0 ? 'yellow' : 'green'} variant="light" title="In this certificate">
      <Stack gap="sm">
        <Details
          rows={[
            ['Common name', commonName],
            ['Key', keyKind],
            ['Valid from', <Instant key="from" at={notBefore} />],
            ['Valid until', <Instant key="until" at={notAfter} />],
            ['Signed with', signatureAlgorithm],
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

/** Nothing where it cannot be asked: who may only change signers still sees it once it is saved. */
function useCertificateFacts(certPem: string): { facts: SignerCertificate | undefined; problem: string | undefined } {
  const [asked] = useDebouncedValue(certPem, TYPING_PAUSE_MS)
  const { data, error } = useQuery({
    queryKey: ['certificate', asked],
    queryFn: () => controller.signers.readCertificate(asked),
    enabled: isCertificatePem(asked),
    staleTime: 60_000,
    gcTime: 60_000,
  })
  const isCurrent = asked === certPem
  const isRefused = error instanceof CallFailed && error.field === 'certPem'
  return { facts: isCurrent ? data : undefined, problem: isCurrent && isRefused ? error.reason : undefined }
}
