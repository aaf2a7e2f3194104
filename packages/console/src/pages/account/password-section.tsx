import type { Authenticator, Identity } from '@countersign/sdk'
import { Button, PasswordInput, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQuery } from '@tanstack/react-query'
import { controller } from '../../api/client.ts'
import { useMay } from '../../api/use-may.ts'
import { required } from '../../form/rules.ts'
import { useServerForm } from '../../form/use-server-form.ts'
import { Section } from '../../show/details.tsx'
import { ErrorNote } from '../../show/error-note.tsx'
import { Loaded } from '../../show/loaded.tsx'
import { checkNewPassword } from '../identities/password-rules.ts'
import { describePasswords } from '../policies/describe-policy.ts'
import { changeOwnPassword, ownAuthenticatorsQuery } from './own-account.ts'

const MAX_PASSWORD = 1024

/** Changes the caller's password. */
export function PasswordSection({ identity }: { readonly identity: Identity }) {
  const query = useQuery(ownAuthenticatorsQuery)
  return (
    <Section title="Password">
      <Loaded query={query}>
        {(authenticators) => {
          const authenticator = authenticators.find(({ method }) => method === 'updb')
          if (authenticator) return <PasswordForm identity={identity} authenticator={authenticator} />
          return <Text c="dimmed">You have no password. An administrator can give you one.</Text>
        }}
      </Loaded>
    </Section>
  )
}

interface PasswordFormProps {
  readonly identity: Identity
  readonly authenticator: Authenticator
}

function PasswordForm({ identity, authenticator }: PasswordFormProps) {
  const may = useMay()
  const { data: policy } = useQuery({
    queryKey: ['policies', 'one', identity.authPolicyId],
    queryFn: () => controller.authPolicies.get(identity.authPolicyId),
    enabled: may('GET /auth-policies/:id'),
  })
  const rules = policy?.primary.updb
  const { form, formError, isBusy, submit } = useServerForm({
    initialValues: { currentPassword: '', password: '', repeated: '' },
    validate: {
      currentPassword: required('The current password', MAX_PASSWORD),
      password: (value) => checkNewPassword(value, rules),
      repeated: (value, { password }) => (value === password ? null : 'The two new passwords differ'),
    },
    send: async ({ currentPassword, password }) => {
      await changeOwnPassword(authenticator.id, { currentPassword, password })
      notifications.show({ message: 'Your password is changed.', color: 'green' })
    },
    isClearedBySending: true,
  })
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm" maw={420}>
        <Text size="sm">
          Your user name is <b className="breakable">{authenticator.username}</b>.
        </Text>
        {formError !== undefined && <ErrorNote error={formError} />}
        <Password label="Current password" autoComplete="current-password" {...form.getInputProps('currentPassword')} />
        <Password
          label="New password"
          autoComplete="new-password"
          description={rules && describePasswords(rules)[0]}
          {...form.getInputProps('password')}
        />
        <Password label="Repeat the new password" autoComplete="new-password" {...form.getInputProps('repeated')} />
        <div>
          <Button type="submit" loading={isBusy}>
            Change the password
          </Button>
        </div>
      </Stack>
    </form>
  )
}

function Password({ label, ...props }: React.ComponentProps<typeof PasswordInput>) {
  return (
    <PasswordInput label={label} required visibilityToggleButtonProps={{ 'aria-label': `Show: ${label}` }} {...props} />
  )
}
