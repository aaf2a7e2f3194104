import { instantText } from '@countersign/core'
import type { ControllerEvent } from './controller-event.ts'

/** Control characters and line separators that JSON does not escape but terminals and line readers interpret. */
const CONTROL_CHARACTERS = /[\u007f-\u009f\u2028\u2029]/g

/** An event as one line of JSON. No field can end the line, colour it in a terminal or imitate another line. */
export function eventText(event: ControllerEvent, nodeId: string, at: number): string {
  const first = { namespace: event.namespace, event_src_id: nodeId, timestamp: instantText(at) }
  const text = JSON.stringify({ ...first, ...event })
  return text.replace(CONTROL_CHARACTERS, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** A notice to one reader: events are missing here (`gap`), or the stream ends (`end`). */
export function noticeText(nodeId: string, at: number, kind: 'gap' | 'end', message: string): string {
  const timestamp = instantText(at)
  return JSON.stringify({ namespace: 'eventStream', event_src_id: nodeId, timestamp, event_type: kind, message })
}
