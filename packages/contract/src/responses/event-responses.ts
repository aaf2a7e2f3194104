import { EVENT_SINK, EventSinkTest } from '../event-sink.ts'
import Type from '../schema/type.ts'
import { base, instant, nullable } from './response-members.ts'

const { tags: _tags, ...sinkMembers } = EVENT_SINK.response

const EventSink = Type.Object({ ...base, ...sinkMembers })

const EventSinkReplayed = Type.Object({
  from: Type.Integer({ description: 'The position of the first event that is delivered again' }),
})

const text = () => Type.String()
/** An entry of another organization has only the members of the chain. */
const shown = (description?: string) => Type.Optional(nullable(Type.String(description ? { description } : {})))
const state = (description: string) => Type.Optional(Type.Unknown({ description }))

const AuditEntry = Type.Object({
  id: text(),
  at: instant(),
  actorId: shown(),
  actorName: shown(),
  action: Type.Optional(Type.String({ description: 'The operation, such as `identity.disable`, or `login.refused`' })),
  change: shown('`created`, `updated`, `relabelled` (only name and tags) or `deleted`; null for a decision'),
  objectKind: shown('`ext-jwt-signer`, `auth-policy`, `identity` and so on'),
  objectId: shown(),
  objectName: shown(),
  requestId: shown(),
  address: shown(),
  before: state('The object before the change, with digests in place of secrets; null if it did not exist'),
  after: state('The object after the change; of a decision, its details'),
  node: text(),
  sequence: Type.Integer({ description: 'The place among the entries of the node, from 1, without gaps' }),
  previousHash: Type.String({ description: 'The hash of the entry before this one' }),
  scope: Type.Enum(['controller', 'organization']),
  contentHash: text(),
  hash: text(),
})

const AuditHead = Type.Object({
  node: text(),
  sequence: Type.Integer(),
  hash: text(),
  signature: Type.String({ description: 'A compact JWS (ES256) over the members before' }),
  publicKey: Type.Unknown({ description: 'The key of the signature, as a JWK' }),
  at: instant(),
})

export const EVENT_RESPONSES = { EventSink, EventSinkTest, EventSinkReplayed, AuditEntry, AuditHead }
