import type { Enrollment, Identity } from '@countersign/sdk'
import { SegmentedControl, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { controller } from '../../api/client.ts'
import { ConfirmButton } from '../../show/confirm-button.tsx'
import { checkUserName } from '../identities/password-rules.ts'
import { ENROLLMENT_KINDS, kindOf } from './enrollment-kinds.ts'
import { ExpiryFields, useExpiry } from './expiry-fields.tsx'
import { reloadEnrollments } from './reload-enrollments.ts'

const OFFERED = ['ott', 'updb'] as const
type Offered = (typeof OFFERED)[number]

interface InviteButtonProps {
  readonly identity: Identity
  /** Its enrollments: an identity has at most one of each method. */
  readonly existing: readonly Enrollment[]
}

/** Invites an identity to get a certificate or a password. */
export function InviteButton({ identity, existing }: InviteButtonProps) {
  const open = OFFERED.filter((method) => !existing.some((one) => one.method === method))
  const [chosen, setChosen] = useState<Offered>('ott')
  const [username, setUsername] = useState('')
  const { chosen: expiry, setChosen: setExpiry, read, reset } = useExpiry()
  const method = open.includes(chosen) ? chosen : open[0]
  if (!method) return null
  const isPassword = method === 'updb'
  const nameError = isPassword ? checkUserName(username) : null
  const start = () => {
    setUsername(checkUserName(identity.name) === null ? identity.name : '')
    reset()
  }
  const invite = async () => {
    const expiresAt = (read() ?? new Date()).toISOString()
    await controller.enrollments.create({ method, identityId: identity.id, expiresAt, ...(isPassword && { username }) })
    await reloadEnrollments()
  }
  return (
    <ConfirmButton
      size="xs"
      label="Invite"
      name={identity.name}
      need="POST /enrollments"
      over={identity}
      isDangerous={false}
      warning={kindOf(method)?.use}
      onOpen={start}
      isReady={nameError === null && read() !== undefined}
      onConfirm={invite}
      done="The invitation is created."
    >
      <Stack gap="sm">
        <SegmentedControl
          aria-label="Kind of invitation"
          value={method}
          onChange={(value) => setChosen(value as Offered)}
          data={ENROLLMENT_KINDS.filter((kind) => open.some((one) => one === kind.method)).map((kind) => ({
            value: kind.method,
            label: kind.label,
          }))}
        />
        {isPassword && (
          <TextInput
            label="User name"
            required
            autoComplete="off"
            value={username}
            error={username !== '' && nameError}
            onChange={({ currentTarget }) => setUsername(currentTarget.value)}
          />
        )}
        <ExpiryFields chosen={expiry} onChange={setExpiry} />
      </Stack>
    </ConfirmButton>
  )
}
