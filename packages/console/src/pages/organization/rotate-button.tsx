import { Button, type ButtonProps, Group, Modal, Select, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { hosted } from '../../api/client.ts'
import { queries } from '../../api/queries.ts'
import type { Account, Credentials } from '../../api/wire.ts'
import { useServerForm } from '../../form/use-server-form.ts'
import { ErrorNote } from '../../show/error-note.tsx'
import { ClientFields, checkClientId, existingClient, NO_CLIENT } from './client-fields.tsx'
import { CredentialsDialog } from './credentials-dialog.tsx'

const DEFAULT_OVERLAP = '60'
const OVERLAPS = [
  { value: '0', label: 'Not at all' },
  { value: '15', label: '15 minutes' },
  { value: DEFAULT_OVERLAP, label: '1 hour' },
  { value: '1440', label: '1 day' },
  { value: '10080', label: '1 week' },
]

interface RotateButtonProps {
  readonly account: Account
  readonly size: NonNullable<ButtonProps['size']>
  readonly onRotated?: () => void
}

/** Asks how long the old credentials stay valid, rotates them, then offers the new file once. */
export function RotateButton({ account: { id, name }, size, onRotated }: RotateButtonProps) {
  const [isOpen, { open, close }] = useDisclosure()
  const [credentials, setCredentials] = useState<Credentials>()
  const finish = async (created: Credentials | undefined) => {
    close()
    setCredentials(created)
    onRotated?.()
    await queries.invalidateQueries({ queryKey: ['accounts'] })
    if (!created) notifications.show({ message: `The account “${name}” has its new client.`, color: 'green' })
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
  const { form, formError, isBusy, submit } = useServerForm({
    initialValues: { overlapMinutes: DEFAULT_OVERLAP, ...NO_CLIENT },
    validate: { clientId: checkClientId },
    send: async ({ overlapMinutes, ...client }) => {
      const body = { overlapMinutes: Number(overlapMinutes), ...existingClient(client) }
      const rotated = await hosted.accounts.rotate(id, body)
      await onRotated(rotated.credentials)
    },
  })
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Text size="sm">Creates new credentials, which can be downloaded once.</Text>
        <Select
          label="Old credentials stay valid for"
          allowDeselect={false}
          data={OVERLAPS}
          data-autofocus
          {...form.getInputProps('overlapMinutes')}
        />
        <ClientFields label="Use another existing client of the provider" form={form} />
        {formError !== undefined && <ErrorNote error={formError} />}
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
