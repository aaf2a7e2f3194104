import { Alert, Text } from '@mantine/core'
import { describePasskeyError } from '../../api/passkeys.ts'
import { ErrorNote } from '../../show/error-note.tsx'

/** What went wrong with a passkey: in the browser, or at the server. */
export function PasskeyError({ error, title }: { readonly error: unknown; readonly title: string }) {
  const text = describePasskeyError(error)
  if (text === undefined) return <ErrorNote error={error} title={title} />
  return (
    <Alert color="red" variant="light" title={title} role="alert">
      <Text size="sm">{text}</Text>
    </Alert>
  )
}
