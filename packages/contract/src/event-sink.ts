import { MAX_URL_LENGTH, name, text } from './body-members.ts'
import { type CreateOf, field, type PatchOf, type SettingsOf, type WriteOf } from './resource/field.ts'
import { resource } from './resource/resource.ts'
import { tagsField } from './resource/tags-field.ts'
import { instant } from './responses/response-members.ts'
import Type, { type Static } from './schema/type.ts'

export const SINK_KINDS = ['webhook', 'otlp', 'file'] as const
export type SinkKind = (typeof SINK_KINDS)[number]
export const SINK_FORMATS = ['json', 'cloudevents'] as const
export type SinkFormat = (typeof SINK_FORMATS)[number]

/** The types of events, as they are in `namespace`. */
export const EVENT_TYPES = [
  'authentication',
  'apiSession',
  'entityChange',
  'signerHealth',
  'enrollment',
  'identitySync',
  'providerEvent',
  'apiAccount',
  'auditHead',
  'eventSink',
] as const
export type EventType = (typeof EVENT_TYPES)[number]

/** Both spellings mean the same: events say `success` and `fail`, decisions `accepted` and `refused`. */
export const EVENT_OUTCOMES = ['accepted', 'refused', 'success', 'fail'] as const
export type EventOutcome = (typeof EVENT_OUTCOMES)[number]

const MAX_FILTERED_SIGNERS = 64

/** Without a misspelt part, a sink would receive more than is meant. */
const isClosed = { additionalProperties: false }

const filter = () =>
  Type.Object(
    {
      types: Type.Optional(Type.Array(Type.Enum<EventType[]>([...EVENT_TYPES]), { maxItems: EVENT_TYPES.length })),
      signers: Type.Optional(Type.Array(text(64), { maxItems: MAX_FILTERED_SIGNERS })),
      outcomes: Type.Optional(
        Type.Array(Type.Enum<EventOutcome[]>([...EVENT_OUTCOMES]), { maxItems: EVENT_OUTCOMES.length }),
      ),
    },
    isClosed,
  )
export type SinkFilter = Readonly<Static<ReturnType<typeof filter>>>

/** A receiver of events outside the controller. Member order is the order in responses. */
export const EVENT_SINK = resource({
  name: field(name(), { filterable: true, blankIsIgnored: true, flag: 'none' }),
  kind: field(Type.Enum<SinkKind[]>([...SINK_KINDS]), {
    description:
      '`webhook`: a signed POST for each event. `otlp`: OTLP/JSON logs over HTTP. `file`: a line for each event in `<data>/events/<name>.jsonl`',
    filterable: true,
  }),
  url: field(Type.String({ maxLength: MAX_URL_LENGTH, format: 'uri' }), {
    description: 'Where a webhook or OTLP logs are sent; a file has none',
    default: null,
    filterable: true,
    flag: { value: 'URL' },
  }),
  format: field(Type.Enum<SinkFormat[]>([...SINK_FORMATS]), {
    description: '`json`: the event as it is. `cloudevents`: CloudEvents 1.0',
    default: 'json',
    filterable: true,
  }),
  filter: field(filter(), {
    description:
      'Which events are sent: those of one of the `types`, about one of the `signers`, with one of the `outcomes`. Without a filter, all',
    default: null,
    keptByPut: true,
    flag: 'none',
  }),
  enabled: field(Type.Boolean(), {
    description: 'Whether events are sent. A disabled sink keeps its position',
    default: true,
    filterable: true,
  }),
  secret: field(Type.String({ maxLength: 256, secret: true }), {
    description:
      'The key of the signatures: `whsec_` and base64 of 24 to 64 bytes. Stored sealed, never returned. A new one is used beside the one before it for 24 hours; an empty one or null removes both',
    default: null,
    keptByPut: true,
    writeOnly: true,
    flag: { name: 'secret', kind: 'secret' },
  }),
  secretSet: field(Type.Boolean(), { description: 'Whether a secret is stored', readOnly: true }),
  position: field(Type.Integer(), { description: 'The position of the last event that was delivered', readOnly: true }),
  behind: field(Type.Integer(), {
    description: 'How many events are newer than `position`',
    readOnly: true,
  }),
  dropped: field(Type.Integer(), {
    description: 'How many events were deleted before they were delivered, because they were too old or too many',
    readOnly: true,
  }),
  lastDeliveryAt: field(instant(), { description: 'When the last event was delivered', default: null, readOnly: true }),
  lastError: field(Type.String(), {
    description: 'Why the last delivery failed. Null after a successful one',
    default: null,
    readOnly: true,
  }),
  tags: tagsField(),
})

export const EventSinkCreate = EVENT_SINK.create
export const EventSinkWrite = EVENT_SINK.write
export const EventSinkPatch = EVENT_SINK.patch

/** Body of `POST /event-sinks/{id}/replay`. */
export const EventSinkReplay = Type.Object({
  from: Type.Integer({ minimum: 1, description: 'The position of the first event that is delivered again' }),
})

/** Response of `POST /event-sinks/{id}/test`. */
export const EventSinkTest = Type.Object({
  delivered: Type.Boolean(),
  eventId: Type.String(),
  status: Type.Optional(Type.Integer({ description: 'The HTTP status of the receiver' })),
  error: Type.Optional(Type.String({ description: 'Why it was not delivered' })),
  durationMs: Type.Integer(),
})

export type SinkSettings = SettingsOf<typeof EVENT_SINK>
export type EventSinkCreate = CreateOf<typeof EVENT_SINK>
export type EventSinkWrite = WriteOf<typeof EVENT_SINK>
export type EventSinkPatch = PatchOf<typeof EVENT_SINK>
export type EventSinkReplay = Static<typeof EventSinkReplay>
export type EventSinkTest = Static<typeof EventSinkTest>
