import type { NetworkInput } from '@countersign/sdk'
import { Group, Select, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { hosted } from '../../api/client.ts'
import type { Network } from '../../api/wire.ts'
import { FormFrame } from '../../form/form-frame.tsx'
import { atMost, httpsUrl, required } from '../../form/rules.ts'
import { useServerForm } from '../../form/use-server-form.ts'

interface NetworkFormProps {
  readonly network?: Network
  readonly onSend: (body: NetworkInput, changed: Partial<NetworkInput>) => Promise<void>
  readonly submitLabel: string
}

const MAX_LENGTH = 64
const DEFAULT_PORT = 443

export function NetworkForm({ network, onSend, submitLabel }: NetworkFormProps) {
  const groups = useGroups()
  const isLocal = network?.isLocal ?? false
  const { form, formError, isBusy, submit } = useServerForm({
    initialValues: {
      name: network?.name ?? '',
      controllerUrl: controllerUrlOf(network),
      networkGroupId: network?.networkGroupId ?? '',
      region: network?.region ?? '',
      provider: network?.provider ?? '',
      size: network?.size ?? '',
    },
    validate: {
      name: required('The name'),
      controllerUrl: httpsUrl(false),
      region: atMost(MAX_LENGTH),
      provider: atMost(MAX_LENGTH),
      size: atMost(MAX_LENGTH),
    },
    send: ({ controllerUrl, ...values }, changed) => onSend({ ...values, ...(!isLocal && { controllerUrl }) }, changed),
  })
  return (
    <FormFrame onSubmit={submit} error={formError} isBusy={isBusy} submitLabel={submitLabel}>
      <TextInput label="Name" required {...form.getInputProps('name')} />
      <TextInput
        label="Controller URL"
        placeholder="https://controller.example:1280"
        description={
          isLocal ? 'This controller. Its URL comes from its settings.' : 'The URL of its controller; optional'
        }
        disabled={isLocal}
        {...form.getInputProps('controllerUrl')}
      />
      {groups.length > 1 && (
        <Select
          label="Group"
          data={groups.map(({ id, name }) => ({ value: id, label: name }))}
          placeholder="The first group"
          {...form.getInputProps('networkGroupId')}
        />
      )}
      <Group grow align="start" preventGrowOverflow={false}>
        <TextInput label="Region" placeholder="local" {...form.getInputProps('region')} />
        <TextInput label="Provider" placeholder="SELF" {...form.getInputProps('provider')} />
        <TextInput label="Size" placeholder="small" {...form.getInputProps('size')} />
      </Group>
    </FormFrame>
  )
}

function useGroups(): readonly { readonly id: string; readonly name: string }[] {
  const { data } = useQuery({ queryKey: ['network-groups'], queryFn: () => hosted.networkGroups.all() })
  return data ?? []
}

function controllerUrlOf(network: Network | undefined): string {
  const { domainName, port = DEFAULT_PORT } = network?.networkController ?? {}
  if (!domainName) return ''
  return `https://${domainName}${port === DEFAULT_PORT ? '' : `:${port}`}`
}
