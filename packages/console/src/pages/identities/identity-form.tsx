import { DEFAULT_AUTH_POLICY_ID } from '@countersign/contract/identity'
import { MAX_ATTRIBUTE_LENGTH, MAX_ATTRIBUTES } from '@countersign/contract/limits'
import { PERMISSIONS } from '@countersign/contract/permission'
import type { Identity, IdentityInput } from '@countersign/sdk'
import { MultiSelect, Switch, TagsInput, TextInput } from '@mantine/core'
import { FormFrame } from '../../form/form-frame.tsx'
import { fromLocalTime, toLocalTime } from '../../form/local-time.ts'
import { proposedChange } from '../../form/proposed-change.ts'
import { atMost, required } from '../../form/rules.ts'
import { checkTags, toTagRows, toTags } from '../../form/tags.ts'
import { TagsField } from '../../form/tags-field.tsx'
import { useServerForm } from '../../form/use-server-form.ts'
import { PolicySelect } from '../policies/policy-select.tsx'
import { useSignerNames } from '../policies/use-signer-names.ts'
import type { IdentityStart } from './identity-for-claim.ts'

interface IdentityFormProps {
  readonly identity?: Identity
  /** The first values of a new identity. */
  readonly start?: Pick<IdentityStart, 'name' | 'externalId' | 'authPolicyId'>
  readonly onSend: (body: IdentityInput, changed: Partial<IdentityInput>) => Promise<void>
  readonly submitLabel: string
}

const MAX_EXTERNAL_ID = 512

/** The attributes that administrators have written: only these are edited here. */
function manualAttributes(identity: Identity | undefined): string[] {
  return (identity?.attributeOrigins ?? []).flatMap(({ origin, attribute }) => (origin === 'manual' ? [attribute] : []))
}

function attributesNote(identity: Identity | undefined): string {
  const supplied = (identity?.attributeOrigins ?? []).filter(({ origin }) => origin === 'signer')
  const names = [...new Set(supplied.map(({ attribute }) => attribute))]
  if (names.length === 0) return 'Press Enter after each'
  return `Press Enter after each. Signers also supply: ${names.join(', ')}`
}

/** Creates or edits an identity. A new one can get a one-time token. */
export function IdentityForm({ identity, start, onSend, submitLabel }: IdentityFormProps) {
  const { signers } = useSignerNames()
  const { form, formError, isBusy, submit, read } = useServerForm({
    initialValues: {
      name: identity?.name ?? start?.name ?? '',
      type: (identity?.typeId ?? 'Default') as IdentityInput['type'],
      externalId: identity?.externalId ?? start?.externalId ?? '',
      attributes: manualAttributes(identity),
      expiresAt: toLocalTime(identity?.expiresAt),
      linkedSigners: [...(identity?.linkedSigners ?? [])],
      authPolicyId: identity?.authPolicyId ?? start?.authPolicyId ?? '',
      isAdmin: identity?.isAdmin ?? false,
      permissions: [...(identity?.permissions ?? [])],
      tags: toTagRows(identity?.tags),
      appData: toTagRows(identity?.appData),
      ott: identity === undefined && start === undefined,
    },
    validate: {
      name: required('The name'),
      externalId: atMost(MAX_EXTERNAL_ID),
      attributes: checkAttributes,
      tags: checkTags,
      appData: checkTags,
    },
    toBody: ({ ott, externalId, authPolicyId, expiresAt, tags, appData, ...others }): IdentityInput => ({
      ...others,
      externalId: externalId || (identity ? '' : null),
      authPolicyId: authPolicyId || DEFAULT_AUTH_POLICY_ID,
      expiresAt: fromLocalTime(expiresAt),
      tags: toTags(tags),
      appData: toTags(appData),
      ...(ott && { enrollment: { ott: true } }),
    }),
    send: onSend,
    fieldOf: { roleAttributes: 'attributes' },
  })
  return (
    <FormFrame
      onSubmit={submit}
      error={formError}
      isBusy={isBusy}
      submitLabel={submitLabel}
      readChange={() => proposedChange('identity', identity?.id, read())}
    >
      <TextInput label="Name" required {...form.getInputProps('name')} />
      <TextInput
        label="External id"
        description="Compared with the claim of a signer that uses external ids, such as an e-mail address"
        {...form.getInputProps('externalId')}
      />
      <TagsInput
        label="Attributes"
        description={attributesNote(identity)}
        maxTags={MAX_ATTRIBUTES}
        {...form.getInputProps('attributes')}
      />
      <TextInput
        type="datetime-local"
        label="Access until"
        description="Then sessions end and logins are refused until you extend it. Empty: unlimited"
        {...form.getInputProps('expiresAt')}
      />
      <MultiSelect
        label="Linked signers"
        description="Their identity providers may end sessions of this identity and disable it, besides the signer that enrolled it"
        data={signers.map(({ id, name }) => ({ value: id, label: name }))}
        searchable
        clearable
        {...form.getInputProps('linkedSigners')}
      />
      <PolicySelect label="Authentication policy" {...form.getInputProps('authPolicyId')} />
      <MultiSelect
        label="Permissions"
        data={[...PERMISSIONS]}
        searchable
        clearable
        {...form.getInputProps('permissions')}
      />
      <Switch label="Administrator" {...form.getInputProps('isAdmin', { type: 'checkbox' })} />
      <TagsField description="For your own use: the controller ignores them" {...form.getInputProps('tags')} />
      <TagsField
        label="App data"
        description="Data for applications about this identity"
        {...form.getInputProps('appData')}
      />
      {!identity && (
        <Switch label="Create a one-time token for enrollment" {...form.getInputProps('ott', { type: 'checkbox' })} />
      )}
    </FormFrame>
  )
}

function checkAttributes(attributes: readonly string[]): string | null {
  const invalid = attributes.find(
    (one) => one.length > MAX_ATTRIBUTE_LENGTH || one.startsWith('#') || one.startsWith('@'),
  )
  return invalid === undefined
    ? null
    : `An attribute may have at most ${MAX_ATTRIBUTE_LENGTH} characters and must not begin with # or @`
}
