import type { Ca } from '@countersign/sdk'
import { Code, Stack, Text } from '@mantine/core'
import { controller } from '../../api/client.ts'
import { queries } from '../../api/queries.ts'
import { FormFrame } from '../../form/form-frame.tsx'
import { PemField } from '../../form/pem-field.tsx'
import { useServerForm } from '../../form/use-server-form.ts'
import { Section } from '../../show/details.tsx'
import { VerifiedBadge } from './cas-page.tsx'

/** How to prove the possession of the private key, and the form for the proof. */
export function VerifySection({ ca }: { readonly ca: Ca }) {
  const { form, formError, isBusy, submit } = useServerForm({
    initialValues: { certPem: '' },
    validate: { certPem: (value) => (value.trim() === '' ? 'The certificate is required' : null) },
    send: async ({ certPem }) => {
      await controller.cas.verify(ca.id, certPem)
      await queries.invalidateQueries({ queryKey: ['cas'] })
    },
  })
  return (
    <Section title="Verification" aside={<VerifiedBadge isVerified={false} />}>
      <Stack gap="sm">
        <Text size="sm">
          Until it is verified, its certificates neither log in nor enroll. Let the CA sign a certificate with this
          common name:
        </Text>
        <Code block>{ca.verificationToken}</Code>
        <FormFrame onSubmit={submit} error={formError} isBusy={isBusy} submitLabel="Verify" onCancel={form.reset}>
          <PemField label="The signed certificate" required {...form.getInputProps('certPem')} />
        </FormFrame>
      </Stack>
    </Section>
  )
}
