import { NumberInput, Stack, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { hosted } from '../../api/client.ts'
import { queries } from '../../api/queries.ts'
import { loadVersioned, type Versioned } from '../../api/versioned.ts'
import type { OperatorOrganization } from '../../api/wire.ts'
import { FormFrame } from '../../form/form-frame.tsx'
import { useServerForm } from '../../form/use-server-form.ts'
import { ActionButton } from '../../show/action-button.tsx'
import { ConfirmButton } from '../../show/confirm-button.tsx'
import { Details, Section } from '../../show/details.tsx'
import { HistoryLink } from '../../show/history-link.tsx'
import { Instant } from '../../show/instant.tsx'
import { PageLink } from '../../show/links.tsx'
import { Loaded } from '../../show/loaded.tsx'
import { PageHead } from '../../show/page-head.tsx'
import { ActivityBadge } from './organizations-page.tsx'

const BACK = <PageLink to="/organization/all">Organizations</PageLink>
const KEY = 'organizations'
const reload = () => queries.invalidateQueries({ queryKey: [KEY] })

/** One organization, for the operator of the controller: suspend, resume, quotas. */
export function OperatorOrganizationPage() {
  const { id } = useParams({ from: '/shell/organization/all/$id' })
  const query = useQuery({
    queryKey: [KEY, 'one', id],
    queryFn: () => loadVersioned(hosted.operatorOrganizations, id),
    refetchOnWindowFocus: false,
  })
  return (
    <Loaded query={query} back={BACK}>
      {(organization) => (
        <Stack>
          <PageHead title={organization.name} back={BACK}>
            {/* The controller's record shows no entries of other organizations. */}
            {organization.isOperator && <HistoryLink id={id} />}
            <Actions organization={organization} />
          </PageHead>
          <Section title="Usage" aside={<ActivityBadge isActive={organization.active} />}>
            <Details
              rows={[
                ['Label', organization.label],
                ['Networks', organization.usage.networks],
                ['API accounts', organization.usage.accounts],
                ['Identity providers', organization.usage.providers],
                ['Clients', organization.usage.clients],
                ['Last use', <LastUse key="last-use" at={organization.usage.lastUsedAt} />],
                ['Suspended because', organization.suspension?.reason ?? undefined],
              ]}
            />
          </Section>
          <QuotasForm key={organization.version} organization={organization} />
        </Stack>
      )}
    </Loaded>
  )
}

function LastUse({ at }: { readonly at: OperatorOrganization['usage']['lastUsedAt'] }) {
  return at === null ? 'never' : <Instant at={new Date(at.epochSecond * 1000).toISOString()} />
}

function Actions({ organization }: { readonly organization: Versioned<OperatorOrganization> }) {
  const { id, name, active, isOperator, version } = organization
  const [reason, setReason] = useState('')
  if (isOperator) return null
  if (!active) {
    return (
      <ActionButton
        label={`Resume ${name}`}
        onAct={() => hosted.operatorOrganizations.resume(id, { ifMatch: version }).then(reload)}
        done={`The organization “${name}” is resumed.`}
      >
        Resume
      </ActionButton>
    )
  }
  return (
    <ConfirmButton
      label="Suspend"
      name={name}
      warning="Its tokens are refused from the next request on, and its sessions end. Nothing is deleted."
      onConfirm={() => hosted.operatorOrganizations.suspend(id, reason || undefined, { ifMatch: version }).then(reload)}
      done={`The organization “${name}” is suspended.`}
    >
      <TextInput
        label="Reason"
        description="Shown to its accounts when they are refused; optional"
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </ConfirmButton>
  )
}

const QUOTAS = [
  ['networks', 'Networks'],
  ['accounts', 'API accounts'],
  ['providers', 'Identity providers'],
  ['clientsPerAccount', 'Clients of one account'],
] as const

function QuotasForm({ organization }: { readonly organization: Versioned<OperatorOrganization> }) {
  const { id, quotas, version } = organization
  const { form, formError, isBusy, submit } = useServerForm({
    initialValues: { ...quotas },
    send: async (_, changed) => {
      await hosted.operatorOrganizations.setQuotas(id, changed, { ifMatch: version })
      await reload()
      notifications.show({ message: 'The quotas are saved.', color: 'green' })
    },
  })
  return (
    <FormFrame onSubmit={submit} error={formError} isBusy={isBusy} submitLabel="Save quotas" onCancel={form.reset}>
      {QUOTAS.map(([name, label]) => (
        <NumberInput
          key={name}
          label={label}
          min={0}
          allowDecimal={false}
          allowNegative={false}
          {...form.getInputProps(name)}
        />
      ))}
    </FormFrame>
  )
}
