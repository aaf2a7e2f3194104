import { Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { signIn } from '../../api/session.ts'
import { required } from '../../form/rules.ts'
import { useServerForm } from '../../form/use-server-form.ts'
import { SignInRefused } from './refused-note.tsx'

export function PasswordForm() {
  const { form, problem, isBusy, submit } = useServerForm({
    initialValues: { username: '', password: '' },
    validate: { username: required('The user name'), password: required('The password', 1024) },
    send: ({ username, password }) => signIn(username, password),
  })
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        {problem !== undefined && <SignInRefused problem={problem} />}
        <TextInput label="User name" autoComplete="username" autoFocus {...form.getInputProps('username')} />
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
