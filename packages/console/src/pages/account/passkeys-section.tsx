import type { Passkey } from '@countersign/sdk'
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useQuery } from '@tanstack/react-query'
import { addPasskey, hasPasskeys, ownPasskeysQuery, removePasskey, renamePasskey } from '../../api/passkeys.ts'
import { required } from '../../form/rules.ts'
import { useServerForm } from '../../form/use-server-form.ts'
import { ConfirmButton } from '../../show/confirm-button.tsx'
import { Section } from '../../show/details.tsx'
import { Loaded } from '../../show/loaded.tsx'
import { PasskeyLines } from '../../show/passkey-lines.tsx'
import { PasskeyError } from '../login/passkey-error.tsx'

/** Adds, renames and removes the caller's passkeys. */
export function PasskeysSection() {
  const query = useQuery(ownPasskeysQuery)
  return (
    <Section
      title="Passkeys"
      aside={
        hasPasskeys() && (
          <NameDialog
            label="Add a passkey"
            text="The device asks for your PIN, fingerprint or face. The name helps you to tell your passkeys apart."
            errorTitle="The passkey was not added"
            initialName={suggestedName(query.data?.length ?? 0)}
            onSend={addPasskey}
            done="The passkey is added."
          />
        )
      }
    >
      <Text size="sm">
        A passkey in a device or password manager signs you in without a password, where your policy allows it, and
        completes logins that need one.
      </Text>
      <Loaded query={query}>
        {(passkeys) =>
          passkeys.length === 0 ? (
            <Text c="dimmed">You have no passkey.</Text>
          ) : (
            <Stack component="ul" gap="sm" m={0} p={0} aria-label="Your passkeys">
              {passkeys.map((passkey) => (
                <OwnPasskey key={passkey.id} passkey={passkey} />
              ))}
            </Stack>
          )
        }
      </Loaded>
    </Section>
  )
}

const suggestedName = (count: number): string => `Passkey ${count + 1}`

function OwnPasskey({ passkey }: { readonly passkey: Passkey }) {
  const { id, name } = passkey
  return (
    <Group component="li" justify="space-between" gap="xs" className="plain-item">
      <PasskeyLines passkey={passkey} />
      <Group gap="xs">
        <NameDialog
          label="Rename"
          target={name}
          initialName={name}
          errorTitle="The passkey was not renamed"
          onSend={(newName) => renamePasskey(id, newName)}
        />
        <ConfirmButton
          size="xs"
          label="Remove"
          name={name}
          warning="Logins with it are refused, and other sessions that it opened or completed end. Delete it from the device too."
          onConfirm={() => removePasskey(id)}
          done="The passkey is removed."
        />
      </Group>
    </Group>
  )
}

interface NameDialogProps {
  readonly label: string
  /** What is renamed. */
  readonly target?: string
  readonly text?: string
  readonly errorTitle: string
  readonly initialName: string
  readonly onSend: (name: string) => Promise<void>
  readonly done?: string
}

function NameDialog({ label, target, ...form }: NameDialogProps) {
  const [isOpen, { open, close }] = useDisclosure()
  const title = target === undefined ? label : `${label} “${target}”`
  return (
    <>
      <Button size="xs" variant="default" onClick={open} {...(target !== undefined && { 'aria-label': title })}>
        {label}
      </Button>
      <Modal
        opened={isOpen}
        onClose={close}
        title={title}
        closeButtonProps={{ 'aria-label': 'Close' }}
        classNames={{ title: 'breakable' }}
      >
        <NameForm {...form} label={label} onDone={close} />
      </Modal>
    </>
  )
}

type NameFormProps = Omit<NameDialogProps, 'target'> & { readonly onDone: () => void }

function NameForm({ label, text, errorTitle, initialName, onSend, done, onDone }: NameFormProps) {
  const { form, formError, isBusy, submit } = useServerForm({
    initialValues: { name: initialName },
    validate: { name: required('The name') },
    send: async ({ name }) => {
      await onSend(name.trim())
      onDone()
      if (done) notifications.show({ message: done, color: 'green' })
    },
  })
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        {text && <Text size="sm">{text}</Text>}
        {formError !== undefined && <PasskeyError error={formError} title={errorTitle} />}
        <TextInput label="Name" data-autofocus {...form.getInputProps('name')} />
        <Button type="submit" loading={isBusy}>
          {label}
        </Button>
      </Stack>
    </form>
  )
}
