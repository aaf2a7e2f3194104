import { Text } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import { relativeTime } from './relative-time.ts'

const FORMAT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

interface InstantProps {
  readonly at: string | null | undefined
}

/** A local date and time; the tooltip shows UTC. */
export function Instant({ at }: InstantProps) {
  const date = parse(at)
  if (!date) return <span>–</span>
  return (
    <Text component="time" dateTime={date.toISOString()} title={date.toISOString()} inherit>
      {FORMAT.format(date)}
    </Text>
  )
}

/** How long ago an instant was, or how soon it is; the tooltip shows the local time and UTC. */
export function Ago({ at, none = '–' }: InstantProps & { readonly none?: string }) {
  const now = useSyncExternalStore(watchTime, readTime)
  const date = parse(at)
  if (!date) return <span>{none}</span>
  const title = `${FORMAT.format(date)} (${date.toISOString()})`
  return (
    <Text component="time" dateTime={date.toISOString()} title={title} inherit>
      {relativeTime(date.getTime(), Math.max(now, Date.now()))}
    </Text>
  )
}

function parse(at: InstantProps['at']): Date | undefined {
  const date = at ? new Date(at) : undefined
  return date && !Number.isNaN(date.getTime()) ? date : undefined
}

const TICK_MS = 30_000
const watchers = new Set<() => void>()
let time = Date.now()
let timer: ReturnType<typeof setInterval> | undefined

/** One timer serves all instants of the page. */
function watchTime(onTick: () => void): () => void {
  watchers.add(onTick)
  timer ??= setInterval(tick, TICK_MS)
  return () => {
    watchers.delete(onTick)
    if (watchers.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

function tick(): void {
  time = Date.now()
  for (const onTick of watchers) onTick()
}

const readTime = (): number => time
