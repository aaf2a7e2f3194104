import { Button, Stack } from '@mantine/core'
import { useEffect, useState } from 'react'
import { CallFailed } from '../../api/call-failed.ts'
import { hasPasskeys, logInByPasskey, startAutofill } from '../../api/passkeys.ts'
import { PasskeyError } from './passkey-error.tsx'
import { PasskeyRefused } from './refused-note.tsx'

const UNAUTHORIZED = 401

/** Login by passkey, without a user name: by the button, or from the browser's suggestions for the user name. Hidden in browsers that have no passkeys. */
export function PasskeyLogin() {
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const logIn = async () => {
    setBusy(true)
    setError(undefined)
    try {
      await logInByPasskey()
    } catch (caught) {
      setError(caught)
    } finally {
      setBusy(false)
    }
  }
  // The button's request takes the place of the autofill, which begins again after it.
  useEffect(() => (isBusy || !hasPasskeys() ? undefined : startAutofill(setError)), [isBusy])
  if (!hasPasskeys()) return null
  const refusal = error instanceof CallFailed && error.status === UNAUTHORIZED ? error : undefined
  return (
    <Stack gap="sm">
      {error !== undefined &&
        (refusal ? (
          <PasskeyRefused requestId={refusal.requestId} />
        ) : (
          <PasskeyError error={error} title="No login by passkey" />
        ))}
      <Button variant="default" fullWidth loading={isBusy} onClick={() => void logIn()}>
        Sign in with a passkey
      </Button>
    </Stack>
  )
}
