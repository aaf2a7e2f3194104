import { Button, Stack, Text, TextInput } from '@mantine/core'
import { ErrorNote } from '../show/error-note.tsx'
import { required } from './rules.ts'
import { useServerForm } from './use-server-form.ts'

interface CodeFormProps {
  /** What the code is asked for. */
  readonly text?: string
  readonly submitLabel: string
  readonly isWide?: boolean
  readonly onSend: (code: string) => Promise<void>
}

/** Asks for a one-time code. */
export function CodeForm({ text, submitLabel, isWide = false, onSend }: CodeFormProps) {
  const { form, formError, isBusy, submit } = useServerForm({
    initialValues: { code: '' },
    validate: { code: required('The code', 64) },
    send: ({ code }) => onSend(code.trim()),
    isClearedBySending: true,
  })
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        {text && <Text size="sm">{text}</Text>}
        {formError !== undefined && <ErrorNote error={formError} title="The code was not accepted" />}
        <TextInput
          label="One-time code"
          description="From your authenticator app, or one of your recovery codes"
          autoComplete="one-time-code"
          autoFocus
          data-autofocus
          {...form.getInputProps('code')}
        />
        <Button type="submit" loading={isBusy} fullWidth={isWide}>
          {submitLabel}
        </Button>
      </Stack>
    </form>
  )
}
