import { Checkbox, NumberInput, Textarea, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { hosted } from '../../api/client.ts'
import { queries } from '../../api/queries.ts'
import { useFreshQuery } from '../../api/use-fresh-query.ts'
import { loadVersioned, type Versioned } from '../../api/versioned.ts'
import type { Account } from '../../api/wire.ts'
import { claimRowRules, toClaimRows, toClaimValues } from '../../form/claim-rows.ts'
import { ClaimRowsField } from '../../form/claim-rows-field.tsx'
import { FormFrame } from '../../form/form-frame.tsx'
import { fromLocalTime, toLocalTime } from '../../form/local-time.ts'
import { wholeNumber } from '../../form/rules.ts'
import { useServerForm } from '../../form/use-server-form.ts'
import { Loaded } from '../../show/loaded.tsx'
import { ACCOUNT_RULES } from './account-values.ts'
import { RoleField } from './role-field.tsx'

const DEFAULT_OVERLAP_HOURS = 24
const MAX_DAYS = 730
const MAX_HOURS = 168

interface FreshAccountFormProps {
  readonly id: string
  /** How often this page has changed the account. Each change opens the form again, with the new version. */
  readonly edits: number
  readonly onSaved: () => void
}

/** A query of its own: unlike the page, the form must not change when others change the account. */
export function FreshAccountForm({ id, edits, onSaved }: FreshAccountFormProps) {
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
