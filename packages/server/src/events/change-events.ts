import { COMPATIBLE_VERSION } from '../platform/version.ts'
import { SYSTEM_ACTOR, UNATTRIBUTED_ID } from '../store/actor.ts'
import { isReport, type OwnChange } from '../store/change.ts'
import { isOidcSessionId } from '../store/oidc-session-key.ts'
import type { OperationMeta } from '../store/operation-meta.ts'
import type { Store } from '../store/store.ts'
import { apiSessionEvent } from './api-session-event.ts'
import type { ControllerEvent, EntityChangeEvent } from './controller-event.ts'
import type { EventHub } from './event-hub.ts'
import { JsonText } from './json-text.ts'

/** Publishes the changes of this node: sessions that end, and changes of entities that have a change record. */
export function publishChanges(store: Pick<Store, 'onOwnChange'>, events: EventHub): void {
  store.onOwnChange((changes, meta) => {
    for (const change of changes) {
      const event = changeEvent(change, meta)
      if (event) events.publish(event, { organizationId: change.organizationId, isRecorded: true })
    }
  })
}

/** The event about a change; undefined when there is none. */
export function changeEvent(
  { id, entity, action, session, states, eventId = '' }: OwnChange,
  meta: Pick<OperationMeta, 'actorId' | 'source'>,
): ControllerEvent | undefined {
  if (session) return apiSessionEvent('deleted', { id, ...session, isOidc: isOidcSessionId(id) })
  // Reports have events of their own, or none.
  if (!states || isReport(action)) return undefined
  return {
    namespace: 'entityChange',
    eventId,
    eventType: action === 'relabelled' ? 'updated' : action,
    entityType: entity,
    isParentEvent: false,
    metadata: metadataOf(meta),
    initialState: stateOf(states.initial),
    finalState: stateOf(states.final),
  }
}

function metadataOf({ actorId, source }: Pick<OperationMeta, 'actorId' | 'source'>): EntityChangeEvent['metadata'] {
  const version = COMPATIBLE_VERSION
  if (!source) return { author: authorOf(actorId), source: { type: 'internal' }, version }
  const { authorName, method, localAddr, remoteAddr } = source
  return {
    author: authorOf(actorId, authorName),
    source: { type: 'rest', auth: 'edge', method, localAddr, remoteAddr },
    version,
  }
}

function authorOf(id: string, name?: string): EntityChangeEvent['metadata']['author'] {
  if (id === UNATTRIBUTED_ID) return { type: 'unattributed' }
  if (id === SYSTEM_ACTOR.id) return { type: 'system', id, name: name ?? id }
  return { type: 'identity', id, name: name ?? '' }
}

function stateOf(text: string | null): JsonText | null {
  return text === null ? null : new JsonText(text)
}
