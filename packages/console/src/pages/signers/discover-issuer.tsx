import { Alert, Box, Button, Group, Text, TextInput } from '@mantine/core'
import { type KeyboardEvent, useState } from 'react'
import { controller } from '../../api/client.ts'
import { errorText } from '../../api/error-text.ts'
import type { DiscoveredSigner } from '../../api/wire.ts'
import { type SignerForm, type SignerFormProps, signerField } from './sections/signer-field.tsx'

/** The issuer field with a button that fills the form from its discovery document. */
export function DiscoverIssuer({ form }: SignerFormProps) {
  const field = signerField(form)
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
      form.setFieldError('issuer', errorText(error))
    } finally {
      setBusy(false)
    }
  }
  const discoverOnEnter = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || form.values.jwksEndpoint !== '' || form.values.issuer.trim() === '') return
    event.preventDefault()
    void discover()
  }
  return (
    <div>
      <TextInput
        {...field('issuer', 'Issuer')}
        required
        placeholder="https://login.example"
        description="Paste the issuer URL; Discover fills the form"
        onKeyDown={discoverOnEnter}
        inputContainer={(input) => (
          <Group gap="xs" wrap="nowrap" align="end">
            <Box flex={1}>{input}</Box>
            <Button
              variant="default"
              onClick={() => void discover()}
              loading={isBusy}
              disabled={form.values.issuer.trim() === ''}
            >
              Discover
            </Button>
          </Group>
        )}
      />
      <div aria-live="polite">
        {found && (
          <Alert color="green" variant="light" title="Found" mt="sm">
            <Text size="sm" className="breakable">
              JWKS endpoint: {found.jwksEndpoint}. Check the name and enter the audience.
            </Text>
          </Alert>
        )}
      </div>
    </div>
  )
}

function fill(form: SignerForm, discovered: DiscoveredSigner): void {
  const { issuer, jwksEndpoint, openIdConfigurationUrl, scopes } = discovered
  const { name } = form.values
  form.setValues({
    issuer,
    jwksEndpoint,
    openIdConfigurationUrl,
    ...(scopes && { scopes: [...scopes] }),
    ...(name === '' && { name: URL.parse(issuer)?.hostname ?? '' }),
  })
}
