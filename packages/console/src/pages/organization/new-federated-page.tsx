import { workloadTargetForm } from '@countersign/contract/workload-presets'
import { Alert, Checkbox, Code, Group, Select, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { hosted } from '../../api/client.ts'
import { queries } from '../../api/queries.ts'
import { ClaimRowsField } from '../../form/claim-rows-field.tsx'
import { FormFrame } from '../../form/form-frame.tsx'
import { useServerForm } from '../../form/use-server-form.ts'
import { PageLink } from '../../show/links.tsx'
import { PageHead } from '../../show/page-head.tsx'
import {
  FEDERATED_RULES,
  type FederatedValues,
  NEW_FEDERATED,
  PLATFORMS,
  presetOf,
  toFederatedInput,
} from './federated-values.ts'
import { RoleField } from './role-field.tsx'

/** Creates an API account for the jobs of a CI platform, a cluster or a cloud. */
export function NewFederatedPage() {
  const navigate = useNavigate()
  const create = async (values: FederatedValues) => {
    const identityProviderId = values.identityProviderId || (await addProvider(values))
    const { id } = await hosted.accounts.create(
      { ...toFederatedInput(values), identityProviderId },
      { confirmBroad: values.confirmBroad },
    )
    await queries.invalidateQueries({ queryKey: ['accounts'] })
    void navigate({ to: '/organization/api-accounts/$id', params: { id } })
  }
  return (
    <Stack>
      <PageHead
        title="Add an account without secrets"
        description="The jobs of a platform use its own tokens. Conditions on their claims say which jobs act as the account."
        back={<PageLink to="/organization/api-accounts">Manage API Account</PageLink>}
      />
      <FederatedForm onSend={create} />
    </Stack>
  )
}

/** Adds a record for the platform, unless there is one by now. */
async function addProvider(values: FederatedValues): Promise<string> {
  const { issuer = '', providerName = '' } = presetOf(values) ?? {}
  const known = (await hosted.providers.all()).find((provider) => provider.issuer === issuer)
  return (known ?? (await hosted.providers.create({ name: providerName, kind: 'oidc', issuer }))).id
}

function FederatedForm({ onSend }: { readonly onSend: (values: FederatedValues) => Promise<void> }) {
  const { data: providers } = useQuery({ queryKey: ['providers', 'names'], queryFn: () => hosted.providers.all() })
  const { data: organizations } = useQuery({ queryKey: ['organization'], queryFn: () => hosted.organizations.all() })
  const { form, formError, isBusy, submit } = useServerForm<FederatedValues>({
    initialValues: NEW_FEDERATED,
    validate: FEDERATED_RULES,
    send: onSend,
  })
  const { platform } = form.values
  const preset = presetOf(form.values)
  const audience = organizations?.[0]?.audience
  const own = { value: '', label: preset?.issuer ? `Use ${preset.issuer}` : 'Choose one' }
  const options = [own, ...(providers?.map(({ id, name }) => ({ value: id, label: name })) ?? [])]
  return (
    <FormFrame onSubmit={submit} error={formError} isBusy={isBusy} submitLabel="Add the account">
      <TextInput label="Name" required {...form.getInputProps('name')} />
      <Textarea label="Description" autosize minRows={2} {...form.getInputProps('description')} />
      <RoleField value={form.values.role} input={form.getInputProps('role')} />
      <Select label="Platform" allowDeselect={false} data={PLATFORMS} {...form.getInputProps('platform')} />
      {platform !== 'other' && (
        <TextInput
          label="Jobs of"
          required
          placeholder={workloadTargetForm(platform)}
          description="Letter case counts: write the name as the platform does"
          {...form.getInputProps('target')}
        />
      )}
      {(platform === 'github' || platform === 'gitlab') && (
        <Group grow align="start">
          <TextInput label="Environment" placeholder="production" {...form.getInputProps('environment')} />
          <TextInput label="Branch" placeholder="main" {...form.getInputProps('branch')} />
        </Group>
      )}
      {preset?.warning && <Alert color="orange">{preset.warning}</Alert>}
      <Select
        label="Identity provider"
        allowDeselect={false}
        data={options}
        {...form.getInputProps('identityProviderId')}
      />
      <ClaimRowsField
        form={form}
        name="conditions"
        rows={form.values.conditions}
        legend="Conditions"
        description="Further claims that tokens must have. In a pattern, * stands for any characters and ? for one."
        addLabel="Add a condition"
        rowName="condition"
      />
      <Checkbox
        label="Others at this issuer may meet these conditions"
        description="Without this, conditions that name no repository, project or namespace are refused"
        {...form.getInputProps('confirmBroad', { type: 'checkbox' })}
      />
      <TextInput label="Access until" type="datetime-local" {...form.getInputProps('expiresAt')} />
      {audience && (
        <Text size="sm">
          Let the job request a token for the audience <Code className="wrapped-code">{audience}</Code>
        </Text>
      )}
    </FormFrame>
  )
}
