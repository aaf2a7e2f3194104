import { instantText } from '@countersign/core'
import type { ControllerEvent } from './controller-event.ts'

/** What JSON lets stand and a terminal, or a reader of lines, would obey. */
const OBEYED = /[\u007f-\u009f\u2028\u2029]/g

/** An event as one line of JSON: whatever is in its fields cannot end the line, colour it or look like another one. */
export function eventText({ namespace, ...fields }: ControllerEvent, nodeId: string, at: number): string {
  const timestamp = instantText(at)
  const text = JSON.stringify({ namespace, event_src_id: nodeId, timestamp, ...fields })
  return text.replace(OBEYED, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** A word about the events themselves, for one reader: some are missing here, or there will be no more. */
export function noticeText(nodeId: string, at: number, kind: 'gap' | 'end', message: string): string {
  const timestamp = instantText(at)
  return JSON.stringify({ namespace: 'eventStream', event_src_id: nodeId, timestamp, event_type: kind, message })
}
