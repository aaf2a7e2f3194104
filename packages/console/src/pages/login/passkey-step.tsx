import { Button, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { addPasskey, completeWithPasskey } from '../../api/passkeys.ts'
import { reloadSession } from '../../api/session.ts'
import { PasskeyError } from './passkey-error.tsx'

const STEPS = {
  use: {
    text: 'Your policy also requires a passkey.',
    label: 'Use a passkey',
    title: 'The passkey was not accepted',
    run: completeWithPasskey,
  },
  add: {
    text: 'Your policy requires a passkey, and you have none yet. Add one in this device, in a security key or in your phone.',
    label: 'Add a passkey',
    title: 'The passkey was not added',
    run: () => addPasskey('').then(reloadSession),
  },
} as const

/** Completes the login with a passkey, or with a first one that is added now. */
export function PasskeyStep({ kind }: { readonly kind: keyof typeof STEPS }) {
  const { text, label, title, run } = STEPS[kind]
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const act = async () => {
    setBusy(true)
    setError(undefined)
    try {
      await run()
    } catch (caught) {
      setError(caught)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Stack gap="sm">
      <Text size="sm">{text}</Text>
      {error !== undefined && <PasskeyError error={error} title={title} />}
      <Button fullWidth loading={isBusy} onClick={() => void act()} autoFocus>
        {label}
      </Button>
    </Stack>
  )
}
