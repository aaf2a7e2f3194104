import { Button, Stack, TextInput } from '@mantine/core'
import { submitCode } from '../../api/session.ts'
import { required } from '../../form/rules.ts'
import { useServerForm } from '../../form/use-server-form.ts'
import { ErrorNote } from '../../show/error-note.tsx'

export function CodeForm() {
  const { form, formError, isBusy, submit } = useServerForm({
    initialValues: { code: '' },
    validate: { code: required('The code', 64) },
    send: ({ code }) => submitCode(code.trim()),
  })
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        {formError !== undefined && <ErrorNote error={formError} title="The code was not accepted" />}
        <TextInput
          label="One-time code"
          description="From your authenticator app, or one of your recovery codes"
          autoComplete="one-time-code"
          autoFocus
          {...form.getInputProps('code')}
        />
        <Button type="submit" loading={isBusy} fullWidth>
          Continue
        </Button>
      </Stack>
    </form>
  )
}
