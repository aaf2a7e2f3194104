import { NumberInput, Select } from '@mantine/core'
import { useState } from 'react'
import { controller } from '../../api/client.ts'
import { wholeNumber } from '../../form/rules.ts'
import { ConfirmButton } from '../../show/confirm-button.tsx'
import { reloadIdentities } from './identity-query.ts'

const MAX_MINUTES = 52_560_000
const OTHER = 'other'
/** Minutes; 0 means until somebody enables it. */
const LENGTHS = [
  { value: '0', label: 'until somebody enables it' },
  { value: '15', label: 'for 15 minutes' },
  { value: '60', label: 'for an hour' },
  { value: '1440', label: 'for a day' },
  { value: '10080', label: 'for a week' },
  { value: OTHER, label: 'for another time' },
]

/** Keeps an identity out, for a time or until somebody lets it in again. */
export function DisableIdentity({ id, name }: { readonly id: string; readonly name: string }) {
  const [length, setLength] = useState('0')
  const [typed, setTyped] = useState<number | string>('')
  const problem = length === OTHER ? wholeNumber(1, MAX_MINUTES)(typed) : null
  const disable = async () => {
    await controller.identities.disable(id, { minutes: Number(length === OTHER ? typed : length) })
    await reloadIdentities()
  }
  return (
    <ConfirmButton
      label="Disable"
      name={name}
      warning="Its sessions end now, and it cannot sign in for that time."
      onConfirm={disable}
      isReady={problem === null}
    >
      <Select
        label="Disable it"
        data={LENGTHS}
        value={length}
        allowDeselect={false}
        onChange={(value) => setLength(value ?? '0')}
      />
      {length === OTHER && (
        <NumberInput
          label="Minutes"
          min={1}
          max={MAX_MINUTES}
          allowDecimal={false}
          value={typed}
          onChange={setTyped}
          error={typed === '' ? null : problem}
        />
      )}
    </ConfirmButton>
  )
}
