import { Select, TagsInput, TextInput } from '@mantine/core'
import { type SignerFormProps, signerField } from './signer-field.tsx'

/** How clients open a login at the provider. */
export function BrowserFields({ form }: SignerFormProps) {
  const field = signerField(form)
  return (
    <>
      <TextInput {...field('openIdConfigurationUrl', 'OpenID configuration URL')} />
      <TextInput
        {...field('clientId', 'Client id')}
        description="With both set, the login page shows a button for this provider"
      />
      <TagsInput
        {...field('scopes', 'Scopes')}
        description="Press Enter after each"
        splitChars={[' ', ',']}
        acceptValueOnBlur
      />
      <TextInput
        {...field('externalAuthUrl', 'External auth URL')}
        description="For clients that do not read the OpenID configuration URL: usually the issuer"
      />
      <Select
        {...field('targetToken', 'Target token')}
        description="The token that clients present to the controller"
        allowDeselect={false}
        data={[
          { value: 'ACCESS', label: 'Access token' },
          { value: 'ID', label: 'ID token' },
        ]}
      />
    </>
  )
}
