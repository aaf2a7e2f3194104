import { readKeySet } from '@countersign/sdk'
import { NumberInput, PasswordInput, Switch, TagsInput } from '@mantine/core'
import { PemField } from '../../../form/pem-field.tsx'
import { type SignerForm, type SignerFormProps, signerField } from './signer-field.tsx'

/** A key set. Public keys in PEM are converted when they are pasted. */
export function KeySetField({ form }: SignerFormProps) {
  const props = signerField(form)('jwks', 'Public keys')
  const change = (text: string) => {
    form.setFieldValue('jwks', text)
    if (text.includes('-----END PUBLIC KEY-----')) void convert(form, text)
  }
  return (
    <PemField
      required
      description="A key set (JWKS) as JSON, or public keys in PEM, which are converted. The kid of a converted key is its thumbprint: change it to the kid of the tokens"
      placeholder='{"keys": […]} or -----BEGIN PUBLIC KEY-----'
      {...props}
      onChange={(event) => change(event.currentTarget.value)}
    />
  )
}

async function convert(form: SignerForm, text: string): Promise<void> {
  try {
    form.setFieldValue('jwks', JSON.stringify(await readKeySet(text), null, 2))
  } catch (error) {
    form.setFieldError('jwks', error instanceof TypeError ? `The key can not be used: ${error.message}` : String(error))
  }
}

export function CertificatesField({ form }: SignerFormProps) {
  return (
    <PemField
      required
      {...signerField(form)('certPems', 'Certificates')}
      description="One to eight, after each other. All are accepted, so that they can overlap during a rotation; the kid of each is its fingerprint"
    />
  )
}

export function PushedKeysField({ form }: SignerFormProps) {
  return (
    <NumberInput
      required
      {...signerField(form)('pushedKeys', 'Maximum age of pushed keys (seconds)')}
      description="Older keys are refused. Push them more often than half of this: countersign signers push-keys"
      min={300}
      max={2_592_000}
      allowDecimal={false}
    />
  )
}

/** Which keys are used, whatever their source. */
export function PinFields({ form }: SignerFormProps) {
  return (
    <TagsInput
      {...signerField(form)('pinnedKeyThumbprints', 'Pinned keys')}
      description="Thumbprints (RFC 7638, SHA-256) of the only keys that are used; empty: all. Press Enter after each. The signer's page has a button for this"
      acceptValueOnBlur
    />
  )
}

/** The credential of the endpoint, and whether its keys may be replaced at once. */
export function FetchAccessFields({
  form,
  hasAuthorization,
}: SignerFormProps & { readonly hasAuthorization: boolean }) {
  const field = signerField(form)
  return (
    <>
      <PasswordInput
        {...field('jwksAuthorization', 'Credential of the endpoint')}
        description="Sent as the header Authorization, such as: Bearer …"
        placeholder={hasAuthorization ? 'Set; leave empty to keep it' : ''}
        autoComplete="off"
      />
      {hasAuthorization && (
        <Switch
          label="Remove the stored credential"
          {...form.getInputProps('removesAuthorization', { type: 'checkbox' })}
        />
      )}
      <Switch
        {...field('requireKeyContinuity', 'Require key continuity', { type: 'checkbox' })}
        description="Keys that share none with the earlier ones wait until an administrator confirms them"
      />
    </>
  )
}
