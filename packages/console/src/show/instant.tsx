import { Text } from '@mantine/core'

const FORMAT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

/** A local date and time; the tooltip shows UTC. */
export function Instant({ at }: { readonly at: string | null | undefined }) {
  const date = at ? new Date(at) : undefined
  if (!date || Number.isNaN(date.getTime())) return <span>–</span>
  return (
    <Text component="time" dateTime={date.toISOString()} title={date.toISOString()} inherit>
      {FORMAT.format(date)}
    </Text>
  )
}
