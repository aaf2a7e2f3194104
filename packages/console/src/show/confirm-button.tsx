import { Button, type ButtonProps, Group, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { type ReactNode, useState } from 'react'
import { ErrorNote } from './error-note.tsx'

interface ConfirmButtonProps {
  /** What the button says, such as "Delete". */
  readonly label: string
  /** The name of the thing: the dialog asks by it. */
  readonly name: string
  readonly warning: ReactNode
  readonly onConfirm: () => Promise<unknown>
  /** What else there is to say about it, such as for how long. */
  readonly children?: ReactNode
  /** Whether what else is to be said has been said. */
  readonly isReady?: boolean
  /** What to say when it worked. */
  readonly done?: string
  readonly isDangerous?: boolean
  readonly size?: ButtonProps['size']
}

/** A button whose action is asked about first, by the name of what it is done to. A refusal is shown in the dialog. */
export function ConfirmButton({
  label,
  name,
  warning,
  onConfirm,
  children,
  isReady = true,
  done,
  isDangerous = true,
  size = 'sm',
}: ConfirmButtonProps) {
  const [isOpen, { open, close }] = useDisclosure()
  const [problem, setProblem] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const color = isDangerous ? { color: 'red' } : {}
  const confirm = async () => {
    setBusy(true)
    setProblem(undefined)
    try {
      await onConfirm()
      close()
      if (done) notifications.show({ message: done, color: 'green' })
    } catch (error) {
      setProblem(error)
    } finally {
      setBusy(false)
    }
  }
  const start = () => {
    setProblem(undefined)
    open()
  }
  return (
    <>
      <Button variant="light" {...color} size={size} onClick={start} aria-label={`${label} ${name}`}>
        {label}
      </Button>
      <Modal
        opened={isOpen}
        onClose={close}
        title={`${label} “${name}”?`}
        closeButtonProps={{ 'aria-label': 'Close' }}
        classNames={{ title: 'breakable' }}
      >
        <Stack>
          <Text size="sm" component="div">
            {warning}
          </Text>
          {children}
          {problem !== undefined && <ErrorNote error={problem} />}
          <Group justify="end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button {...color} onClick={() => void confirm()} loading={isBusy} disabled={!isReady} data-autofocus>
              {label}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  )
}
