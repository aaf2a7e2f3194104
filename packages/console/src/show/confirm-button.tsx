import { Button, type ButtonProps, Group, Modal, Stack, Text, Tooltip, VisuallyHidden } from '@mantine/core'
import { useDisclosure, useId } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { type ReactNode, useState } from 'react'
import type { Need } from '../api/rights.ts'
import { type May, useMay } from '../api/use-may.ts'
import { ErrorNote } from './error-note.tsx'
import { TOOLTIP_EVENTS } from './tooltip-events.ts'

interface ConfirmButtonProps {
  readonly label: string
  /** What the action applies to; shown in the dialog's title. */
  readonly name: string
  readonly warning: ReactNode
  /** The call that it makes; hidden from sessions that may not make it. */
  readonly need?: Need | undefined
  /** The identity that is changed. */
  readonly over?: Parameters<May>[1] | undefined
  readonly onConfirm: () => Promise<unknown>
  readonly onOpen?: () => void
  /** Further inputs, such as a duration. */
  readonly children?: ReactNode
  /** Whether the further inputs are complete. */
  readonly isReady?: boolean
  /** Why the action would fail now. The button is disabled, and shows the reason when it is pointed at or focused. */
  readonly notPossible?: string | undefined
  /** Notification on success. */
  readonly done?: string
  readonly isDangerous?: boolean
  readonly size?: ButtonProps['size']
}

/** A button that asks for confirmation in a dialog, which names the target and shows a refusal. */
export function ConfirmButton({
  label,
  name,
  warning,
  need,
  over,
  onConfirm,
  onOpen,
  children,
  isReady = true,
  notPossible,
  done,
  isDangerous = true,
  size = 'sm',
}: ConfirmButtonProps) {
  const may = useMay()
  const [isOpen, { open, close }] = useDisclosure()
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const color = isDangerous ? { color: 'red' } : {}
  const confirm = async () => {
    setBusy(true)
    setError(undefined)
    try {
      await onConfirm()
      close()
      if (done) notifications.show({ message: done, color: 'green' })
    } catch (caught) {
      setError(caught)
    } finally {
      setBusy(false)
    }
  }
  const start = () => {
    setError(undefined)
    onOpen?.()
    open()
  }
  if (need && !may(need, over)) return null
  if (notPossible) return <DisabledButton label={label} name={name} size={size} reason={notPossible} />
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
          {error !== undefined && <ErrorNote error={error} />}
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

interface DisabledButtonProps extends Pick<ConfirmButtonProps, 'label' | 'name' | 'size'> {
  readonly reason: string
}

/** Keeps the focus, unlike the attribute `disabled`, so that the reason can be read with the keyboard and by screen readers. */
function DisabledButton({ label, name, size = 'sm', reason }: DisabledButtonProps) {
  const id = useId()
  return (
    <Tooltip label={reason} multiline maw={340} events={TOOLTIP_EVENTS}>
      <Button
        variant="light"
        size={size}
        data-disabled
        aria-disabled
        aria-label={`${label} ${name}`}
        aria-describedby={id}
        onClick={(event) => event.preventDefault()}
      >
        {label}
        <VisuallyHidden id={id}>{reason}</VisuallyHidden>
      </Button>
    </Tooltip>
  )
}
