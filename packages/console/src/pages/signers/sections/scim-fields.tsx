import { Select, TextInput } from '@mantine/core'
import { type SignerFormProps, signerField } from './signer-field.tsx'

/** How users and groups of SCIM become identities and attributes. */
export function ScimFields({ form }: SignerFormProps) {
  const field = signerField(form)
  return (
    <>
      <Select
        {...field('scimIdentityAttribute', 'External id of a user')}
        description="Which attribute of a user is the external id of its identity, by which tokens name it"
        allowDeselect={false}
        data={[
          { value: 'userName', label: 'User name' },
          { value: 'externalId', label: 'External id' },
          { value: 'email', label: 'Primary e-mail address' },
        ]}
      />
      <TextInput
        {...field('scimGroupAttributeTemplate', 'Attribute of a group')}
        description="What members of a group get: {displayName}, {externalId} or {id} of the group, and other text"
        placeholder="{displayName}"
      />
    </>
  )
}
