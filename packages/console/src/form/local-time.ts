const pad = (number: number, digits = 2): string => String(number).padStart(digits, '0')

/** The value of a `datetime-local` field for an instant; '' for none. */
export function toLocalTime(instant: string | null | undefined): string {
  const at = instant ? new Date(instant) : undefined
  if (!at || Number.isNaN(at.getTime())) return ''
  const day = `${pad(at.getFullYear(), 4)}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}`
  return `${day}T${pad(at.getHours())}:${pad(at.getMinutes())}`
}

/** The instant of a `datetime-local` field; null when it is empty. */
export function fromLocalTime(value: string): string | null {
  const at = new Date(value)
  return value === '' || Number.isNaN(at.getTime()) ? null : at.toISOString()
}
