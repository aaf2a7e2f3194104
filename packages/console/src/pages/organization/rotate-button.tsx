import { Button, type ButtonProps, Group, Modal, Select, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { hosted } from '../../api/client.ts'
import { queries } from '../../api/queries.ts'
import type { Account, Credentials } from '../../api/wire.ts'
import { useServerForm } from '../../form/use-server-form.ts'
import { ErrorNote } from '../../show/error-note.tsx'
import { ClientFields, clientProblem, NO_CLIENT } from './client-fields.tsx'
import { CredentialsDialog } from './credentials-dialog.tsx'

const DEFAULT_OVERLAP = '60'
const OVERLAPS = [
  { value: '0', label: 'They stop at once' },
  { value: '15', label: '15 minutes more' },
  { value: DEFAULT_OVERLAP, label: '1 hour more' },
  { value: '1440', label: '1 day more' },
  { value: '10080', label: '1 week more' },
]

interface RotateButtonProps {
  readonly account: Account
  readonly size: NonNullable<ButtonProps['size']>
}

/** New credentials for an account: asks by its name for how long the old ones go on, then offers the new file once. */
export function RotateButton({ account: { id, name }, size }: RotateButtonProps) {
  const [isOpen, { open, close }] = useDisclosure()
  const [credentials, setCredentials] = useState<Credentials>()
  const finish = async (made: Credentials | undefined) => {
    close()
    setCredentials(made)
    await queries.invalidateQueries({ queryKey: ['accounts'] })
    if (!made) notifications.show({ message: `The account “${name}” has its new client.`, color: 'green' })
  }
  return (
    <>
      <Button variant="light" size={size} onClick={open} aria-label={`Rotate ${name}`}>
        Rotate
      </Button>
      <Modal
        opened={isOpen}
        onClose={close}
        title={`Rotate “${name}”?`}
        closeButtonProps={{ 'aria-label': 'Close' }}
        classNames={{ title: 'breakable' }}
      >
        <RotateForm id={id} onCancel={close} onRotated={finish} />
      </Modal>
      <CredentialsDialog credentials={credentials} onClose={() => setCredentials(undefined)} />
    </>
  )
}

interface RotateFormProps {
  readonly id: string
  readonly onCancel: () => void
  readonly onRotated: (credentials: Credentials | undefined) => Promise<void>
}

function RotateForm({ id, onCancel, onRotated }: RotateFormProps) {
  const { form, problem, isBusy, submit } = useServerForm({
    initialValues: { overlapMinutes: DEFAULT_OVERLAP, ...NO_CLIENT },
    validate: { clientId: clientProblem },
    send: async ({ overlapMinutes, hasClient, clientId }) => {
      const body = { overlapMinutes: Number(overlapMinutes), ...(hasClient && { clientId }) }
      const made = await hosted.accounts.rotate(id, body)
      await onRotated(made.credentials)
    },
  })
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Text size="sm">New credentials are made now, to download once.</Text>
        <Select
          label="The old ones go on for"
          allowDeselect={false}
          data={OVERLAPS}
          data-autofocus
          {...form.getInputProps('overlapMinutes')}
        />
        <ClientFields label="Its new client exists at the provider already" form={form} />
        {problem !== undefined && <ErrorNote error={problem} />}
        <Group justify="end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={isBusy}>
            Rotate
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
