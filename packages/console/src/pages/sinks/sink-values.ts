import type { EventSink, EventSinkInput } from '@countersign/sdk'
import { required } from '../../form/rules.ts'
import { checkTags, type TagRow, toTagRows, toTags } from '../../form/tags.ts'

export type SinkValues = {
  name: string
  kind: EventSink['kind']
  url: string
  format: EventSink['format']
  enabled: boolean
  secret: string
  types: string[]
  signers: string[]
  outcomes: string[]
  tags: TagRow[]
}

export const SINK_KINDS = [
  { value: 'webhook', label: 'Webhook' },
  { value: 'otlp', label: 'OpenTelemetry collector (OTLP)' },
  { value: 'file', label: 'File in the data directory' },
]

export const sinkRules = {
  name: required('The name'),
  url: (url: string, { kind }: SinkValues) => (kind !== 'file' && url.trim() === '' ? 'The URL is required' : null),
  tags: checkTags,
}

export function fromSink(sink?: EventSink): SinkValues {
  const { types = [], signers = [], outcomes = [] } = sink?.filter ?? {}
  return {
    name: sink?.name ?? '',
    kind: sink?.kind ?? 'webhook',
    url: sink?.url ?? '',
    format: sink?.format ?? 'json',
    enabled: sink?.enabled ?? true,
    secret: '',
    types: [...types],
    signers: [...signers],
    outcomes: [...outcomes],
    tags: toTagRows(sink?.tags),
  }
}

/** The body of a POST. An empty secret is left out, so that the stored one stays. */
export function toSink({ types, signers, outcomes, secret, url, tags, ...members }: SinkValues): EventSinkInput {
  const parts = { types, signers, outcomes }
  const given = Object.entries(parts).filter(([, values]) => values.length > 0)
  const filter = given.length > 0 ? (Object.fromEntries(given) as EventSinkInput['filter']) : null
  return {
    ...members,
    url: members.kind === 'file' ? '' : url.trim(),
    filter: filter ?? null,
    tags: toTags(tags),
    ...(secret !== '' && { secret }),
  }
}
