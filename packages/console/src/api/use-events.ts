import { useEffect, useState } from 'react'
import { type ControllerEvent, followEvents, type StreamState } from './event-stream.ts'

const MAX_KEPT = 4_096

/** The events of the controller as they happen, oldest first, and how the stream is. */
export function useEvents(namespaces?: readonly string[]): { events: readonly ControllerEvent[]; state: StreamState } {
  const [events, setEvents] = useState<readonly ControllerEvent[]>([])
  const [state, setState] = useState<StreamState>('connecting')
  const wanted = namespaces?.join(',') ?? ''
  useEffect(() => {
    setEvents([])
    return followEvents({
      namespaces: wanted === '' ? undefined : wanted.split(','),
      onEvents: (more) => setEvents((known) => [...known, ...more].slice(-MAX_KEPT)),
      onState: setState,
    })
  }, [wanted])
  return { events, state }
}
