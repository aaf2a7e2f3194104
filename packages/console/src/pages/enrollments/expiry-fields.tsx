import { Select, TextInput } from '@mantine/core'
import { useState } from 'react'
import { fromLocalTime, toLocalTime } from '../../form/local-time.ts'
import { DEFAULT_LIFETIME, expiryOf, LIFETIMES } from './enrollment-kinds.ts'

const OTHER = 'other'

export interface ChosenExpiry {
  readonly lifetime: string
  /** A local time, for another expiry than the offered ones. */
  readonly until: string
}

/** The expiry of an invitation, and the instant that was chosen; undefined while it is not complete or has passed. */
export function useExpiry() {
  const [chosen, setChosen] = useState<ChosenExpiry>({ lifetime: DEFAULT_LIFETIME, until: '' })
  const read = (): Date | undefined => {
    if (chosen.lifetime !== OTHER) return expiryOf(chosen.lifetime, Date.now())
    const instant = fromLocalTime(chosen.until)
    return instant !== null && Date.parse(instant) > Date.now() ? new Date(instant) : undefined
  }
  const reset = () => setChosen({ lifetime: DEFAULT_LIFETIME, until: '' })
  return { chosen, setChosen, read, reset }
}

interface ExpiryFieldsProps {
  readonly chosen: ChosenExpiry
  readonly onChange: (chosen: ChosenExpiry) => void
}

export function ExpiryFields({ chosen, onChange }: ExpiryFieldsProps) {
  const choose = (lifetime: string | null) => {
    const until = toLocalTime(expiryOf('86400', Date.now()).toISOString())
    onChange({ lifetime: lifetime ?? DEFAULT_LIFETIME, until: chosen.until || until })
  }
  return (
    <>
      <Select
        label="Valid for"
        allowDeselect={false}
        data={[...LIFETIMES, { value: OTHER, label: 'Until another time' }]}
        value={chosen.lifetime}
        onChange={choose}
      />
      {chosen.lifetime === OTHER && (
        <TextInput
          type="datetime-local"
          label="Valid until"
          required
          value={chosen.until}
          onChange={({ currentTarget }) => onChange({ ...chosen, until: currentTarget.value })}
        />
      )}
    </>
  )
}
