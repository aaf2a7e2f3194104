import { createLruCache } from '../create-lru-cache.ts'

/** Rules name few zones, and building the format of one takes longer than a rule. */
const formats = createLruCache<string, Intl.DateTimeFormat>(32)
const OFFSET = /^([+-]?)(\d{2}):(\d{2})$/

/** The offset of a zone such as `Europe/Berlin` or `+02:00` at a time, in milliseconds. Undefined for an unknown zone. */
export function findZoneOffset(zone: string, at: Date): number | undefined {
  const [, sign, hours, minutes] = OFFSET.exec(zone) ?? []
  if (hours !== undefined) return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
  const format = formats.get(zone) ?? buildFormat(zone)
  if (!format) return undefined
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
  const seconds = Math.floor(at.getTime() / 1000) * 1000
  return Date.UTC(year, month - 1, day, hour, minute, second) - seconds
}

function buildFormat(zone: string): Intl.DateTimeFormat | undefined {
  if (zone.length > 64) return undefined
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
    formats.set(zone, format)
    return format
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
