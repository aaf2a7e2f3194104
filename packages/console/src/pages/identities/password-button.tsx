import type { Authenticator, Identity } from '@countersign/sdk'
import { Button, Modal, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { controller } from '../../api/client.ts'
import { useMay } from '../../api/use-may.ts'
import { FormFrame } from '../../form/form-frame.tsx'
import { useServerForm } from '../../form/use-server-form.ts'
import { describePasswords } from '../policies/describe-policy.ts'
import { reloadIdentities } from './identity-query.ts'
import { checkNewPassword, checkUserName } from './password-rules.ts'

interface PasswordProps {
  readonly identity: Identity
  /** The existing password to replace; omit to add one. */
  readonly authenticator?: Authenticator
}

/** Adds or resets the password of an identity. */
export function PasswordButton({ identity, authenticator }: PasswordProps) {
  const [isOpen, { open, close }] = useDisclosure()
  const may = useMay()
  if (!may(authenticator ? 'PATCH /authenticators/:id' : 'POST /authenticators', identity)) return null
  return (
    <>
      <Button size="xs" variant="default" onClick={open}>
        {authenticator ? 'Reset the password' : 'Add a password'}
      </Button>
      <Modal
        opened={isOpen}
        onClose={close}
        title={`${authenticator ? 'New password' : 'Password'} for ${identity.name}`}
        closeButtonProps={{ 'aria-label': 'Close' }}
        classNames={{ title: 'breakable' }}
      >
        <PasswordForm identity={identity} {...(authenticator && { authenticator })} onDone={close} />
      </Modal>
    </>
  )
}

function PasswordForm({ identity, authenticator, onDone }: PasswordProps & { readonly onDone: () => void }) {
  const may = useMay()
  const { data: policy } = useQuery({
    queryKey: ['policies', 'one', identity.authPolicyId],
    queryFn: () => controller.authPolicies.get(identity.authPolicyId),
    enabled: may('GET /auth-policies/:id'),
    retry: false,
  })
  const rules = policy?.primary.updb
  const { form, formError, isBusy, submit } = useServerForm({
    initialValues: { username: authenticator?.username ?? '', password: '' },
    validate: { username: checkUserName, password: (value) => checkNewPassword(value, rules) },
    send: async ({ username, password }) => {
      if (authenticator) await controller.authenticators.patch(authenticator.id, { username, password })
      else await controller.authenticators.create({ method: 'updb', identityId: identity.id, username, password })
      await reloadIdentities()
      onDone()
    },
  })
  return (
    <FormFrame
      onSubmit={submit}
      error={formError}
      isBusy={isBusy}
      submitLabel={authenticator ? 'Set the password' : 'Add the password'}
      onCancel={onDone}
    >
      <Stack gap="sm">
        <TextInput label="User name" required autoComplete="off" data-autofocus {...form.getInputProps('username')} />
        <PasswordInput
          label="Password"
          required
          autoComplete="new-password"
          description={rules && describePasswords(rules)[0]}
          visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
          {...form.getInputProps('password')}
        />
      </Stack>
    </FormFrame>
  )
}
