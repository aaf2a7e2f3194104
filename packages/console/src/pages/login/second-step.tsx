import type { CurrentApiSession } from '@countersign/sdk'
import { Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { logOut, pendingCode, pendingPasskey, pendingSigner, submitCode } from '../../api/session.ts'
import { CodeForm } from '../../form/code-form.tsx'
import { ActionButton } from '../../show/action-button.tsx'
import { PasskeyStep } from './passkey-step.tsx'
import { clientSignersQuery, providerLoginUrl } from './provider-buttons.tsx'
import { RefusedNote } from './refused-note.tsx'
import { SetUpCodes } from './set-up-codes.tsx'

interface SecondStepProps {
  readonly session: CurrentApiSession
  readonly next: string | undefined
}

/** The second factors that the session still needs: a one-time code, then a passkey, then a token of a provider. */
export function SecondStep({ session, next }: SecondStepProps) {
  const code = pendingCode(session)
  const passkey = pendingPasskey(session)
  const signerId = pendingSigner(session)
  return (
    <>
      <RefusedNote />
      {code === 'enter' && <CodeForm submitLabel="Continue" isWide onSend={submitCode} />}
      {code === 'set-up' && <SetUpCodes />}
      {code === undefined && passkey !== undefined && <PasskeyStep kind={passkey} />}
      {code === undefined && passkey === undefined && signerId !== undefined && (
        <ProviderStep signerId={signerId} next={next} />
      )}
      <ActionButton variant="subtle" onAct={logOut}>
        Use another account
      </ActionButton>
    </>
  )
}

function ProviderStep({ signerId, next }: { readonly signerId: string; readonly next: string | undefined }) {
  const { data: signers = [] } = useQuery(clientSignersQuery)
  const name = signers.find(({ id }) => id === signerId)?.name ?? 'your provider'
  return (
    <>
      <Text size="sm">Your policy also requires a login at {name}. Sign in there as the same person.</Text>
      <Button component="a" href={providerLoginUrl(signerId, next)} fullWidth>
        Continue with {name}
      </Button>
    </>
  )
}
