import { findWorkloadSnippet } from '@countersign/contract/workload-presets'
import { Alert, Checkbox, Code, NumberInput, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { hosted } from '../../api/client.ts'
import { queries } from '../../api/queries.ts'
import { useFreshQuery } from '../../api/use-fresh-query.ts'
import { loadVersioned, type Versioned } from '../../api/versioned.ts'
import type { Account, Credentials } from '../../api/wire.ts'
import { claimLines, claimRowRules, toClaimRows, toClaimValues } from '../../form/claim-rows.ts'
import { ClaimRowsField } from '../../form/claim-rows-field.tsx'
import { FormFrame } from '../../form/form-frame.tsx'
import { fromLocalTime, toLocalTime } from '../../form/local-time.ts'
import { wholeNumber } from '../../form/rules.ts'
import { useServerForm } from '../../form/use-server-form.ts'
import { ActionButton } from '../../show/action-button.tsx'
import { EnabledBadge } from '../../show/badges.tsx'
import { Details, Section } from '../../show/details.tsx'
import { Instant } from '../../show/instant.tsx'
import { PageLink } from '../../show/links.tsx'
import { Loaded } from '../../show/loaded.tsx'
import { PageHead } from '../../show/page-head.tsx'
import { AccountActions } from './account-actions.tsx'
import { ACCOUNT_RULES } from './account-values.ts'
import { CredentialsDialog } from './credentials-dialog.tsx'
import { RoleField } from './role-field.tsx'

const DEFAULT_OVERLAP_HOURS = 24
const MAX_DAYS = 730
const MAX_HOURS = 168

const BACK = <PageLink to="/organization/api-accounts">Manage API Account</PageLink>

export function AccountPage() {
  const { id } = useParams({ from: '/shell/organization/api-accounts/$id' })
  const navigate = useNavigate()
  const [edits, setEdits] = useState(0)
  const reopenForm = () => setEdits((count) => count + 1)
  const query = useQuery({
    queryKey: ['accounts', 'one', id],
    queryFn: () => hosted.accounts.get(id),
    refetchOnWindowFocus: false,
  })
  return (
    <Loaded query={query} back={BACK}>
      {(account) => (
        <Stack>
          <PageHead title={account.name} back={BACK}>
            <AccountActions
              account={account}
              onChanged={reopenForm}
              onDeleted={() => navigate({ to: '/organization/api-accounts' })}
            />
          </PageHead>
          <Section title="Tokens" aside={<EnabledBadge enabled={account.active} />}>
            <Details
              rows={[
                ...(account.kind === 'client'
                  ? ([
                      ['Client id', account.clientId],
                      ['Authentication URL', account.authenticationUrl],
                    ] as const)
                  : []),
                ['Identity provider', <ProviderName key="provider" id={account.identityProviderId} />],
                ['Last used', <Instant key="used" at={account.lastUsedAt} />],
                ['Last used from', account.lastUsedFrom],
                ['Access until', account.expiresAt ? <Instant key="expires" at={account.expiresAt} /> : 'unlimited'],
                ['Credentials from', <Instant key="rotated" at={timeOf(account.rotatedAt)} />],
                ['Next rotation', <Instant key="rotates" at={timeOf(account.rotatesAt)} />],
              ]}
            />
          </Section>
          <PickUpNote account={account} />
          {account.kind === 'client' ? <FileSection account={account} /> : <JobSection account={account} />}
          <FreshAccountForm key={edits} id={id} edits={edits} onSaved={reopenForm} />
        </Stack>
      )}
    </Loaded>
  )
}

/** The credentials file without the password, which is not stored. */
function FileSection({ account: { clientId, authenticationUrl } }: { readonly account: Account }) {
  const members = { clientId, password: '(the secret of this client)', authenticationUrl }
  return (
    <Section title="Credentials file">
      <Text size="sm" c="dimmed">
        The password is only in the downloaded file. For a client that existed at the provider before, enter its secret.
      </Text>
      <Code block className="wrapped-code">
        {JSON.stringify(members, null, 2)}
      </Code>
    </Section>
  )
}

/** What a job needs to act as the account. */
function JobSection({ account: { conditions } }: { readonly account: Account }) {
  const { data } = useQuery({ queryKey: ['organization'], queryFn: () => hosted.organizations.all() })
  const audience = data?.[0]?.audience ?? ''
  const snippet = findWorkloadSnippet(conditions ?? {}, audience, window.location.origin)
  return (
    <Section title="Without secrets">
      <Details
        rows={[
          ['Conditions', claimLines(conditions).map((line) => <div key={line}>{line}</div>)],
          ['Audience to request', audience],
        ]}
      />
      {snippet && (
        <Code block className="wrapped-code">
          {snippet}
        </Code>
      )}
    </Section>
  )
}

/** Offers the credentials of a planned rotation, once. */
function PickUpNote({ account: { id, name, pickUpUntil } }: { readonly account: Account }) {
  const [credentials, setCredentials] = useState<Credentials>()
  const pickUp = async () => {
    setCredentials((await hosted.accounts.pickUp(id)).credentials)
    await queries.invalidateQueries({ queryKey: ['accounts'] })
  }
  return (
    <>
      {pickUpUntil && (
        <Alert color="orange" title="New credentials are waiting">
          <Stack gap="xs" align="start">
            <Text size="sm">
              They were made by the plan of rotation. The old ones end at <Instant at={timeOf(pickUpUntil)} />. They can
              be picked up once, here or by the account itself.
            </Text>
            <ActionButton size="xs" label={`Pick up the credentials of ${name}`} onAct={pickUp}>
              Pick up
            </ActionButton>
          </Stack>
        </Alert>
      )}
      <CredentialsDialog credentials={credentials} onClose={() => setCredentials(undefined)} />
    </>
  )
}

const timeOf = (time: Account['rotatesAt']): string | null =>
  time === null ? null : new Date(time.epochSecond * 1000).toISOString()

interface FreshAccountFormProps {
  readonly id: string
  /** How often this page has changed the account. Each change opens the form again, with the new version. */
  readonly edits: number
  readonly onSaved: () => void
}

/** A query of its own: unlike the page, the form must not change when others change the account. */
function FreshAccountForm({ id, edits, onSaved }: FreshAccountFormProps) {
  const query = useFreshQuery({
    queryKey: ['accounts', 'form', id, edits],
    queryFn: () => loadVersioned(hosted.accounts, id),
  })
  return <Loaded query={query}>{(account) => <AccountForm account={account} onSaved={onSaved} />}</Loaded>
}

interface AccountFormProps {
  readonly account: Versioned<Account>
  readonly onSaved: () => void
}

function AccountForm({ account, onSaved }: AccountFormProps) {
  const { form, formError, isBusy, submit } = useServerForm({
    initialValues: {
      name: account.name,
      contactEmail: account.contactEmail ?? '',
      description: account.description ?? '',
      role: account.role,
      expiresAt: toLocalTime(account.expiresAt),
      conditions: toClaimRows(account.conditions),
      confirmBroad: false,
      rotationDays: account.rotation?.everyDays ?? ('' as number | ''),
      rotationHours: account.rotation?.overlapHours ?? DEFAULT_OVERLAP_HOURS,
    },
    validate: {
      ...ACCOUNT_RULES,
      conditions: claimRowRules('conditions'),
      rotationDays: (value) => (value === '' ? null : wholeNumber(1, MAX_DAYS)(value)),
      rotationHours: wholeNumber(1, MAX_HOURS),
    },
    toBody: ({ rotationDays, rotationHours, expiresAt, conditions, ...values }) => ({
      ...values,
      expiresAt: fromLocalTime(expiresAt),
      conditions: toClaimValues(conditions),
      rotation: rotationDays === '' ? null : { everyDays: rotationDays, overlapHours: rotationHours },
    }),
    fieldOf: { rotation: 'rotationDays' },
    send: async (values, { confirmBroad, ...changed }) => {
      const options = { ifMatch: account.version, confirmBroad: confirmBroad === true }
      await hosted.accounts.update(account.id, changed, options)
      onSaved()
      await queries.invalidateQueries({ queryKey: ['accounts'] })
      notifications.show({ message: `The account “${values.name}” is saved.`, color: 'green' })
    },
  })
  return (
    <FormFrame onSubmit={submit} error={formError} isBusy={isBusy} submitLabel="Save">
      <TextInput label="Name" required {...form.getInputProps('name')} />
      <TextInput label="Contact e-mail" type="email" {...form.getInputProps('contactEmail')} />
      <Textarea label="Description" autosize minRows={2} {...form.getInputProps('description')} />
      <RoleField value={form.values.role} input={form.getInputProps('role')} />
      <TextInput label="Access until" type="datetime-local" {...form.getInputProps('expiresAt')} />
      {account.kind === 'client' ? (
        <>
          <NumberInput
            label="Rotate every (days)"
            description="By plan; empty: not at all. The new credentials wait for being picked up"
            allowDecimal={false}
            {...form.getInputProps('rotationDays')}
          />
          <NumberInput
            label="Overlap (hours)"
            description="How long the old credentials stay valid after a planned rotation"
            allowDecimal={false}
            {...form.getInputProps('rotationHours')}
          />
        </>
      ) : (
        <>
          <ClaimRowsField
            form={form}
            name="conditions"
            rows={form.values.conditions}
            legend="Conditions"
            description="Claims that tokens must have. In a pattern, * stands for any characters and ? for one."
            addLabel="Add a condition"
            rowName="condition"
          />
          <Checkbox
            label="Others at this issuer may meet these conditions"
            {...form.getInputProps('confirmBroad', { type: 'checkbox' })}
          />
        </>
      )}
    </FormFrame>
  )
}

function ProviderName({ id }: { readonly id: string }) {
  const { data } = useQuery({
    queryKey: ['providers', 'one', id],
    queryFn: () => hosted.providers.get(id),
  })
  return (
    <PageLink to="/organization/providers/$id" params={{ id }} inherit>
      {data?.name ?? id}
    </PageLink>
  )
}
