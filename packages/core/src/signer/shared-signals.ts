import { type SharedSignals, SIGNAL_ACTIONS, type SignalAction } from '@countersign/contract/ext-jwt-signer'
import { fieldError } from '../app-error.ts'
import { checkPlainText } from '../text/plain-text.ts'

export type { SharedSignals, SignalAction } from '@countersign/contract/ext-jwt-signer'

const FIELD = 'sharedSignals'
const MAX_ACTIONS = 32
/** Event names are path segments. */
const EVENT_NAME = /^[A-Za-z0-9][A-Za-z0-9._~-]{0,63}$/

/** What an event does when the signer does not say otherwise. Events that are not listed are only logged. */
const DEFAULT_ACTIONS: ReadonlyMap<string, SignalAction> = new Map([
  ['session-revoked', 'end-sessions'],
  ['credential-change', 'end-sessions'],
  ['account-disabled', 'disable'],
  ['account-enabled', 'enable'],
])

/** A transmitter checks by this event whether its stream arrives. It concerns no subject. */
export const VERIFICATION_EVENT = 'verification'

/** What an event of this name does. */
export function signalAction({ actions }: Pick<SharedSignals, 'actions'>, eventName: string): SignalAction {
  if (eventName === VERIFICATION_EVENT) return 'log'
  if (Object.hasOwn(actions, eventName)) return actions[eventName] ?? 'log'
  return DEFAULT_ACTIONS.get(eventName) ?? 'log'
}

/** The wire form of `sharedSignals`. */
interface SharedSignalsBody {
  readonly audience?: string
  readonly issuer?: string | null
  readonly jwksUri?: string | null
  readonly actions?: unknown
}

/** The stored form of `sharedSignals`, without the members that are not given. */
export function readSharedSignals({ audience = '', issuer, jwksUri, actions }: SharedSignalsBody): SharedSignals {
  return {
    audience,
    ...(issuer && { issuer }),
    ...(jwksUri && { jwksUri }),
    actions: (actions ?? {}) as SharedSignals['actions'],
  }
}

/** Throws for the first member that is invalid by itself. */
export function checkSharedSignals({ audience, issuer, actions }: SharedSignals): void {
  if (audience.trim() === '') throw fieldError(`${FIELD}.audience`, 'sharedSignals.audience may not be blank', audience)
  checkPlainText(`${FIELD}.audience`, audience)
  if (issuer !== undefined) checkPlainText(`${FIELD}.issuer`, issuer)
  const entries = Object.entries(actions)
  const field = `${FIELD}.actions`
  if (entries.length > MAX_ACTIONS)
    throw fieldError(field, `at most ${MAX_ACTIONS} actions are allowed`, entries.length)
  for (const [name, action] of entries) {
    if (!EVENT_NAME.test(name)) {
      throw fieldError(field, 'the name of an event is the last segment of its URI, such as session-revoked', name)
    }
    if (!SIGNAL_ACTIONS.some((known) => known === action)) {
      throw fieldError(`${field}.${name}`, `an action is one of ${SIGNAL_ACTIONS.join(', ')}`, String(action))
    }
  }
}
