import type { Identity } from '@countersign/sdk'
import { Button, Group, Modal, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { type ReactNode, useState } from 'react'
import { controller } from '../../api/client.ts'
import { queries } from '../../api/queries.ts'
import { CodeForm } from '../../form/code-form.tsx'
import { StateBadge } from '../../show/badges.tsx'
import { Section } from '../../show/details.tsx'
import { RecoveryCodes, SetUpCodes } from '../login/set-up-codes.tsx'

const reload = () => queries.invalidateQueries()

/** Sets up and removes the caller's one-time codes, and shows their recovery codes. */
export function CodesSection({ identity: { isMfaEnabled } }: { readonly identity: Identity }) {
  return (
    <Section
      title="One-time codes"
      aside={<StateBadge color={isMfaEnabled ? 'green' : 'gray'}>{isMfaEnabled ? 'On' : 'Not set up'}</StateBadge>}
    >
      <Text size="sm">
        {isMfaEnabled
          ? 'Every login needs a code of your authenticator app, or one of your recovery codes.'
          : 'A second factor from an authenticator app. With it, a password alone opens nothing.'}
      </Text>
      <Group gap="xs">
        {isMfaEnabled ? (
          <>
            <ShowRecoveryCodes />
            <NewRecoveryCodes />
            <RemoveCodes />
          </>
        ) : (
          <SetUp />
        )}
      </Group>
    </Section>
  )
}

function SetUp() {
  return (
    <Dialog label="Set up one-time codes">
      {(close) => (
        <SetUpCodes
          intro="Scan this with an authenticator app:"
          onDone={async () => {
            close()
            notifications.show({ message: 'One-time codes are set up.', color: 'green' })
            await reload()
          }}
        />
      )}
    </Dialog>
  )
}

function RemoveCodes() {
  return (
    <Dialog label="Remove one-time codes" color="red">
      {(close) => (
        <CodeForm
          text="Logins then need no code, unless your policy requires them: then you set them up again at the next login. Other sessions that passed a code end."
          submitLabel="Remove"
          onSend={async (code) => {
            await controller.oneTimeCodes.remove(code)
            close()
            notifications.show({ message: 'One-time codes are removed.', color: 'green' })
            await reload()
          }}
        />
      )}
    </Dialog>
  )
}

function ShowRecoveryCodes() {
  return (
    <Dialog label="Show recovery codes">{() => <ShownCodes text="Shows the codes that are not used yet." />}</Dialog>
  )
}

function NewRecoveryCodes() {
  return <Dialog label="New recovery codes">{() => <Replaced />}</Dialog>
}

function Replaced() {
  const [isReplaced, setReplaced] = useState(false)
  if (isReplaced) {
    return (
      <ShownCodes text="You have twenty new codes. To see them, enter the next code that the app shows: each works once." />
    )
  }
  return (
    <CodeForm
      text="The old recovery codes no longer work."
      submitLabel="Replace"
      onSend={async (code) => {
        await controller.oneTimeCodes.newRecoveryCodes(code)
        setReplaced(true)
      }}
    />
  )
}

function ShownCodes({ text }: { readonly text: string }) {
  const [codes, setCodes] = useState<readonly string[]>()
  if (codes) return <RecoveryCodes codes={codes} />
  return (
    <CodeForm
      text={text}
      submitLabel="Show"
      onSend={async (code) => setCodes(await controller.oneTimeCodes.recoveryCodes(code))}
    />
  )
}

interface DialogProps {
  readonly label: string
  readonly color?: string
  readonly children: (close: () => void) => ReactNode
}

function Dialog({ label, color, children }: DialogProps) {
  const [isOpen, { open, close }] = useDisclosure()
  return (
    <>
      <Button size="xs" variant={color ? 'light' : 'default'} {...(color && { color })} onClick={open}>
        {label}
      </Button>
      <Modal opened={isOpen} onClose={close} title={label} closeButtonProps={{ 'aria-label': 'Close' }}>
        {children(close)}
      </Modal>
    </>
  )
}
