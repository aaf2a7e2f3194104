import { Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { logIn } from '../../api/session.ts'
import { required } from '../../form/rules.ts'
import { useServerForm } from '../../form/use-server-form.ts'
import { LoginRefused } from './refused-note.tsx'

export function PasswordForm() {
  const { form, formError, isBusy, submit } = useServerForm({
    initialValues: { username: '', password: '' },
    validate: { username: required('The user name'), password: required('The password', 1024) },
    send: ({ username, password }) => logIn(username, password),
  })
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        {formError !== undefined && <LoginRefused error={formError} />}
        <TextInput label="User name" autoComplete="username webauthn" autoFocus {...form.getInputProps('username')} />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
          {...form.getInputProps('password')}
        />
        <Button type="submit" loading={isBusy} fullWidth>
          Sign in
        </Button>
      </Stack>
    </form>
  )
}
