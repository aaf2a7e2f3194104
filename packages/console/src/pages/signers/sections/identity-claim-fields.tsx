import { Switch, TextInput } from '@mantine/core'
import { type SignerFormProps, signerField } from './signer-field.tsx'

/** Which claim names the identity. */
export function IdentityClaimFields({ form }: SignerFormProps) {
  const field = signerField(form)
  return (
    <>
      <TextInput
        {...field('claimsProperty', 'Claims property')}
        placeholder="/sub"
        description="The claim that names the identity: a name such as email, or a JSON pointer such as /realm/user"
      />
      <Switch
        {...field('useExternalId', 'Use external id', { type: 'checkbox' })}
        description="Compare the claim with the identity's external id instead of its id"
      />
    </>
  )
}
