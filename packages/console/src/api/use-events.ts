import { useEffect, useState } from 'react'
import { type ControllerEvent, followEvents, type StreamState } from './event-stream.ts'

const MAX_EVENTS = 4_096

/** The controller's events, oldest first, and the state of the stream. */
export function useEvents(namespaces?: readonly string[]): { events: readonly ControllerEvent[]; state: StreamState } {
  const [events, setEvents] = useState<readonly ControllerEvent[]>([])
  const [state, setState] = useState<StreamState>('connecting')
  const joined = namespaces?.join(',') ?? ''
  useEffect(() => {
    setEvents([])
    return followEvents({
      namespaces: joined === '' ? undefined : joined.split(','),
      onEvents: (more) => setEvents((known) => [...known, ...more].slice(-MAX_EVENTS)),
      onState: setState,
    })
  }, [joined])
  return { events, state }
}
