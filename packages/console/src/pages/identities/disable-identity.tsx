import type { Identity } from '@countersign/sdk'
import { NumberInput, Select } from '@mantine/core'
import { useState } from 'react'
import { controller } from '../../api/client.ts'
import { wholeNumber } from '../../form/rules.ts'
import { ConfirmButton } from '../../show/confirm-button.tsx'
import { reloadIdentities } from './identity-query.ts'

const MAX_MINUTES = 52_560_000
const OTHER = 'other'
/** Minutes; 0 means until it is enabled. */
const DURATIONS = [
  { value: '0', label: 'until it is enabled' },
  { value: '15', label: 'for 15 minutes' },
  { value: '60', label: 'for an hour' },
  { value: '1440', label: 'for a day' },
  { value: '10080', label: 'for a week' },
  { value: OTHER, label: 'for another duration' },
]

/** Disables an identity for some minutes, or until it is enabled. */
export function DisableIdentity({ identity }: { readonly identity: Identity }) {
  const { id, name } = identity
  const [duration, setDuration] = useState('0')
  const [typed, setTyped] = useState<number | string>('')
  const error = duration === OTHER ? wholeNumber(1, MAX_MINUTES)(typed) : null
  const disable = async () => {
    await controller.identities.disable(id, { minutes: Number(duration === OTHER ? typed : duration) })
    await reloadIdentities()
  }
  return (
    <ConfirmButton
      label="Disable"
      name={name}
      need="POST /identities/:id/disable"
      over={identity}
      warning="Its sessions end now, and its logins are refused while it is disabled."
      onConfirm={disable}
      isReady={error === null}
    >
      <Select
        label="Disable it"
        data={DURATIONS}
        value={duration}
        allowDeselect={false}
        onChange={(value) => setDuration(value ?? '0')}
      />
      {duration === OTHER && (
        <NumberInput
          label="Minutes"
          min={1}
          max={MAX_MINUTES}
          allowDecimal={false}
          value={typed}
          onChange={setTyped}
          error={typed === '' ? null : error}
        />
      )}
    </ConfirmButton>
  )
}
