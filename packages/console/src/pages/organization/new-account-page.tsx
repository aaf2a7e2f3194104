import type { AccountInput } from '@countersign/sdk'
import { Alert, Select, Stack, Textarea, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { hosted } from '../../api/client.ts'
import { queries } from '../../api/queries.ts'
import type { Account, Credentials } from '../../api/wire.ts'
import { FormFrame } from '../../form/form-frame.tsx'
import { useServerForm } from '../../form/use-server-form.ts'
import { PageLink } from '../../show/links.tsx'
import { PageHead } from '../../show/page-head.tsx'
import { ACCOUNT_RULES } from './account-values.ts'
import { ClientFields, checkClientId, existingClient, NO_CLIENT } from './client-fields.tsx'
import { CredentialsDialog } from './credentials-dialog.tsx'
import { RoleField } from './role-field.tsx'

/** Creates an API account and offers its credentials file once. */
export function NewAccountPage() {
  const navigate = useNavigate()
  const [made, setMade] = useState<{ readonly id: string; readonly credentials: Credentials }>()
  const show = (id: string) => void navigate({ to: '/organization/api-accounts/$id', params: { id } })
  const create = async (body: AccountInput) => {
    const created = await hosted.accounts.create(body)
    await queries.invalidateQueries({ queryKey: ['accounts'] })
    const { id, credentials } = created
    if (credentials) setMade({ id, credentials })
    else show(id)
  }
  return (
    <Stack>
      <PageHead
        title="Add an API account"
        description="The controller registers a client at the provider and offers its credentials file for download once."
        back={<PageLink to="/organization/api-accounts">Manage API Account</PageLink>}
      />
      <AccountForm onSend={create} />
      <CredentialsDialog credentials={made?.credentials} onClose={() => made && show(made.id)} />
    </Stack>
  )
}

function AccountForm({ onSend }: { readonly onSend: (body: AccountInput) => Promise<void> }) {
  const { data: providers } = useQuery({
    queryKey: ['providers', 'names'],
    queryFn: () => hosted.providers.all(),
  })
  const { form, formError, isBusy, submit } = useServerForm({
    initialValues: {
      name: '',
      contactEmail: '',
      description: '',
      identityProviderId: '',
      role: 'read-only' as Account['role'],
      ...NO_CLIENT,
    },
    validate: {
      ...ACCOUNT_RULES,
      identityProviderId: (value) => (value ? null : 'Choose a provider'),
      clientId: checkClientId,
    },
    send: ({ hasClient, clientId, proofToken, contactEmail, description, ...values }) =>
      onSend({
        ...values,
        ...(contactEmail && { contactEmail }),
        ...(description && { description }),
        ...existingClient({ hasClient, clientId, proofToken }),
      }),
  })
  const options = providers?.map(({ id, name }) => ({ value: id, label: name })) ?? []
  return (
    <FormFrame onSubmit={submit} error={formError} isBusy={isBusy} submitLabel="Add the account">
      {providers?.length === 0 && (
        <Alert color="orange" title="There is no identity provider yet">
          <PageLink to="/organization/providers/new">Add one first</PageLink>
        </Alert>
      )}
      <TextInput label="Name" required {...form.getInputProps('name')} />
      <TextInput label="Contact e-mail" type="email" {...form.getInputProps('contactEmail')} />
      <Textarea label="Description" autosize minRows={2} {...form.getInputProps('description')} />
      <Select label="Identity provider" required data={options} {...form.getInputProps('identityProviderId')} />
      <RoleField value={form.values.role} input={form.getInputProps('role')} />
      <ClientFields label="Use an existing client of the provider" form={form} />
    </FormFrame>
  )
}
