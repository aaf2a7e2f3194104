import type { DiscoveredSigner } from '@countersign/sdk'
import { Alert, Button, Group, Text, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useState } from 'react'
import { CallFailed } from '../../api/call-failed.ts'
import { controller } from '../../api/client.ts'
import type { SignerValues } from './signer-values.ts'

/** The issuer, whose discovery document fills the rest of the form. */
export function DiscoverIssuer({ form }: { readonly form: UseFormReturnType<SignerValues> }) {
  const [isBusy, setBusy] = useState(false)
  const [found, setFound] = useState<DiscoveredSigner>()
  const discover = async () => {
    setBusy(true)
    setFound(undefined)
    form.clearFieldError('issuer')
    try {
      const discovered = await controller.signers.discover(form.values.issuer.trim())
      fill(form, discovered)
      setFound(discovered)
    } catch (error) {
      form.setFieldError('issuer', error instanceof CallFailed ? error.reason : String(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <Group align="end" gap="xs">
        <TextInput
          flex="1 1 14rem"
          label="Issuer"
          required
          placeholder="https://login.example"
          description="Paste its address, then let it fill the form"
          {...form.getInputProps('issuer')}
        />
        <Button
          variant="default"
          onClick={() => void discover()}
          loading={isBusy}
          disabled={form.values.issuer.trim() === ''}
          mb={form.errors.issuer ? 20 : 0}
        >
          Discover
        </Button>
      </Group>
      <div aria-live="polite">
        {found && (
          <Alert color="green" variant="light" title="Found">
            <Text size="sm" className="breakable">
              Keys at {found.jwksEndpoint}. Now it needs a name and the audience.
            </Text>
          </Alert>
        )}
      </div>
    </>
  )
}

function fill(form: UseFormReturnType<SignerValues>, discovered: DiscoveredSigner): void {
  const { issuer, jwksEndpoint, openIdConfigurationUrl } = discovered
  const { name } = form.values
  form.setValues({
    issuer,
    jwksEndpoint,
    openIdConfigurationUrl,
    ...(name === '' && { name: URL.parse(issuer)?.hostname ?? '' }),
  })
}
