import {
  EVENT_SINK,
  type EventSinkCreate,
  type EventSinkPatch,
  type EventSinkWrite,
  type SinkFilter,
  type SinkSettings,
} from '@countersign/contract/event-sink'
import { fieldError } from '../app-error.ts'
import type { JsonObject } from '../json/json-value.ts'
import { type BodyRules, newSettings, patchedSettings, replacedSettings } from '../resource/apply-body.ts'
import { readTags } from '../tag/read-tags.ts'
import { checkPlainText } from '../text/plain-text.ts'

export type {
  EventOutcome,
  EventType,
  SinkFilter,
  SinkFormat,
  SinkKind,
  SinkSettings,
} from '@countersign/contract/event-sink'

const RULES: BodyRules = {
  members: EVENT_SINK.members,
  readers: {
    filter: readFilter,
    tags: (value: JsonObject) => readTags('tags', value),
  },
}

/** The sink that a POST creates. */
export function sinkFromBody(body: EventSinkCreate): SinkSettings {
  return newSettings(RULES, body)
}

/** The sink after a PUT. */
export function replacedSink(current: SinkSettings, body: EventSinkWrite): SinkSettings {
  return replacedSettings(RULES, current, body)
}

/** The sink after a PATCH. Returns `current` itself when the body has no settings. */
export function patchedSink<Current extends SinkSettings>(
  current: Current,
  body: EventSinkPatch,
): Current | SinkSettings {
  return patchedSettings<SinkSettings>(RULES, current, body)
}

/** A part without values restricts nothing, and neither does a filter without parts. */
function readFilter(filter: SinkFilter): SinkFilter | null {
  const parts = Object.entries(filter).flatMap(([name, values]) => {
    return values && values.length > 0 ? [[name, [...new Set<string>(values)]] as const] : []
  })
  return parts.length > 0 ? Object.fromEntries(parts) : null
}

/** The name of a file: no path, no hidden file, no name that a device or another file of the folder has. */
const FILE_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?$/

/** Throws when a member is invalid. The address itself is judged by the outbound policy. */
export function validateSink({ name, kind, url }: SinkSettings): void {
  if (name.trim() === '') throw fieldError('name', 'name is required', name)
  checkPlainText('name', name)
  if (kind === 'file') {
    if (!FILE_NAME.test(name) || name.includes('..')) {
      const reason =
        'the name of a file has 1 to 64 letters, digits, ".", "_" and "-", begins and ends with a letter or digit, and has no ".."'
      throw fieldError('name', reason, name)
    }
    if (url !== null) throw fieldError('url', 'a sink of the kind file has no url', url)
    return
  }
  if (url === null) throw fieldError('url', `url is required for the kind ${kind}`, url)
  checkPlainText('url', url)
}

/** Where the secret of a sink is used. A change clears the secret. */
export function sinkDestination({ kind, url }: Pick<SinkSettings, 'kind' | 'url'>): string {
  return `${kind} ${url ?? ''}`
}
