import type { Authenticator, Identity } from '@countersign/sdk'
import { Button, Group, Modal, PasswordInput, Stack, Table, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { controller } from '../../api/client.ts'
import { FormFrame } from '../../form/form-frame.tsx'
import { required } from '../../form/rules.ts'
import { useServerForm } from '../../form/use-server-form.ts'
import { ConfirmButton } from '../../show/confirm-button.tsx'
import { Section } from '../../show/details.tsx'
import { Instant } from '../../show/instant.tsx'
import { Loaded } from '../../show/loaded.tsx'
import { reloadIdentities } from './identity-query.ts'

const MIN_PASSWORD = 5

/** The passwords and certificates with which an identity signs in. */
export function AuthenticatorsSection({ identity }: { readonly identity: Identity }) {
  const query = useQuery({
    queryKey: ['identities', 'authenticators', identity.id],
    queryFn: () => controller.identities.authenticators(identity.id),
  })
  const hasPassword = query.data?.some(({ method }) => method === 'updb') ?? true
  return (
    <Section title="Authenticators" aside={!hasPassword && <AddPassword identity={identity} />}>
      <Loaded query={query}>
        {(items) =>
          items.length === 0 ? (
            <Text c="dimmed">No password and no certificate. Tokens of signers need none.</Text>
          ) : (
            <Table aria-label="Authenticators">
              <Table.Tbody>
                {items.map((one) => (
                  <AuthenticatorRow key={one.id} authenticator={one} />
                ))}
              </Table.Tbody>
            </Table>
          )
        }
      </Loaded>
    </Section>
  )
}

function AuthenticatorRow({ authenticator }: { readonly authenticator: Authenticator }) {
  const { id, method, username, fingerprint, createdAt } = authenticator
  const name = method === 'updb' ? `the password of ${username}` : `the certificate ${fingerprint}`
  return (
    <Table.Tr>
      <Table.Td className="breakable">
        {method === 'updb' ? `Password, user name ${username}` : `Certificate ${fingerprint}`}
      </Table.Td>
      <Table.Td visibleFrom="sm">
        <Instant at={createdAt} />
      </Table.Td>
      <Table.Td ta="right">
        <ConfirmButton
          label="Delete"
          name={name}
          warning="Nobody signs in with it any more, and sessions that were made with it end."
          onConfirm={() => controller.authenticators.delete(id).then(reloadIdentities)}
          size="xs"
        />
      </Table.Td>
    </Table.Tr>
  )
}

function AddPassword({ identity }: { readonly identity: Identity }) {
  const [isOpen, { open, close }] = useDisclosure()
  const { form, problem, isBusy, submit } = useServerForm({
    initialValues: { username: '', password: '' },
    validate: {
      username: required('The user name'),
      password: (value) => (value.length < MIN_PASSWORD ? `At least ${MIN_PASSWORD} characters` : null),
    },
    send: async ({ username, password }) => {
      await controller.authenticators.create({ method: 'updb', identityId: identity.id, username, password })
      await reloadIdentities()
      close()
    },
  })
  return (
    <Group>
      <Button size="xs" variant="default" onClick={open}>
        Add a password
      </Button>
      <Modal
        opened={isOpen}
        onClose={close}
        title={`A password for ${identity.name}`}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <FormFrame onSubmit={submit} problem={problem} isBusy={isBusy} submitLabel="Add the password">
          <Stack gap="sm">
            <TextInput label="User name" required autoComplete="off" {...form.getInputProps('username')} />
            <PasswordInput
              label="Password"
              required
              autoComplete="new-password"
              visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
              {...form.getInputProps('password')}
            />
          </Stack>
        </FormFrame>
      </Modal>
    </Group>
  )
}
