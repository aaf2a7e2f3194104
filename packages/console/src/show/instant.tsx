import { Text } from '@mantine/core'

const FORMAT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

/** A date and time where the reader is; the exact one in UTC on looking closer. */
export function Instant({ at }: { readonly at: string | null | undefined }) {
  const date = at ? new Date(at) : undefined
  if (!date || Number.isNaN(date.getTime())) return <span>–</span>
  return (
    <Text component="time" dateTime={date.toISOString()} title={date.toISOString()} inherit>
      {FORMAT.format(date)}
    </Text>
  )
}
