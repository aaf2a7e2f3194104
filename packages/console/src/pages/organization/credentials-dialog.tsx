import { Alert, Button, Checkbox, Group, Modal, Stack, Text } from '@mantine/core'
import { useBlocker, useRouter } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import type { Credentials } from '../../api/wire.ts'
import { Details } from '../../show/details.tsx'
import { downloadText } from '../../show/download.ts'

interface CredentialsDialogProps {
  readonly credentials: Credentials | undefined
  readonly onClose: () => void
}

/** Offers the credentials file once: the password is not stored. Closes only after the user confirms having the file. */
export function CredentialsDialog({ credentials, onClose }: CredentialsDialogProps) {
  return credentials ? <OpenDialog credentials={credentials} onClose={onClose} /> : null
}

function OpenDialog({ credentials, onClose }: { readonly credentials: Credentials; readonly onClose: () => void }) {
  const [isSaved, setSaved] = useState(false)
  const isOpen = useRef(true)
  const router = useRouter()
  // Neither the back button nor the end of the session may close the dialog.
  useBlocker({ shouldBlockFn: () => isOpen.current, enableBeforeUnload: () => isOpen.current })
  const close = () => {
    isOpen.current = false
    onClose()
    void router.invalidate()
  }
  return (
    <Modal
      opened
      onClose={close}
      title="Download the credentials file"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack>
        <Alert color="orange" title="Shown only once">
          <Text size="sm">
            The password is in this file and stored nowhere else. Download it now and keep it secret; if it is lost,
            rotate the account.
          </Text>
        </Alert>
        <Details
          rows={[
            ['Client id', credentials.clientId],
            ['Authentication URL', credentials.authenticationUrl],
          ]}
        />
        <Button onClick={() => saveFile(credentials)} data-autofocus>
          Download credentials.json
        </Button>
        <Checkbox
          label="I have stored the file"
          checked={isSaved}
          onChange={({ currentTarget }) => setSaved(currentTarget.checked)}
        />
        <Group justify="end">
          <Button variant="default" disabled={!isSaved} onClick={close}>
            Done
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

/** Writes exactly these three members, also if the response gets more. */
function saveFile({ clientId, password, authenticationUrl }: Credentials): void {
  const file = { clientId, password, authenticationUrl }
  downloadText('credentials.json', `${JSON.stringify(file, null, 2)}\n`, 'application/json')
}
