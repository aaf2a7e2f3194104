import type { ControllerEvent } from '../api/event-stream.ts'

/** The name of an identity or a signer, or of the identity in the decision of a request; undefined when unknown. */
export type NameOf = (id: string) => string | undefined

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Display names of the login and enrollment methods. */
const METHOD_LABELS: Readonly<Record<string, string>> = {
  password: 'password',
  cert: 'certificate',
  'ext-jwt': 'token',
  passkey: 'passkey',
  totp: 'one-time code',
  'api-account': 'access token of an API account',
  enroll: 'enrollment',
  'backchannel-logout': 'back-channel logout',
  'shared-signals': 'Shared Signals',
  scim: 'SCIM',
}

export const methodLabel = (method: string): string => METHOD_LABELS[method] ?? method

export const toMethodChoice = (method: string) => ({ value: method, label: methodLabel(method) })

/** The methods of decisions. */
export const DECISION_METHODS = Object.keys(METHOD_LABELS).map(toMethodChoice)

/** The request whose decision says why the event is a refusal; undefined for other events. */
export function decisionIdOf({ success, event_type, request_id }: ControllerEvent): string | undefined {
  const isRefusal = success === false || event_type === 'refused'
  return isRefusal ? text(request_id) || undefined : undefined
}

const KINDS: Readonly<Record<string, string>> = {
  accountJobs: 'job at a provider',
  apiAccounts: 'API account',
  authPolicies: 'policy',
  authenticators: 'authenticator',
  cas: 'CA',
  enrollments: 'enrollment',
  eventSinks: 'event sink',
  externalJwtSigners: 'signer',
  identities: 'identity',
  identityProviders: 'identity provider',
  networks: 'network',
  organizations: 'organization',
  passkeys: 'passkey',
  scimGroups: 'SCIM group',
  scimTokens: 'SCIM token',
}

const SESSION_EVENTS: Readonly<Record<string, string>> = {
  created: 'started',
  deleted: 'ended',
  refreshed: 'renewed',
  exchanged: 'exchanged',
  addressChanged: 'used from a new network',
  agentChanged: 'used by a new client program',
}

/** One sentence per event namespace. */
const SENTENCES: Readonly<Record<string, (event: ControllerEvent, nameOf: NameOf) => string>> = {
  authentication: ({ success, type, reason, identity_id, request_id }, nameOf) => {
    const method = methodLabel(text(type))
    const name = nameOf(text(identity_id)) ?? nameOf(text(request_id))
    if (success === true) return `${name ?? unknownIdentity(text(identity_id))} signed in by ${method}`
    return `Login by ${method} refused${name ? ` for ${name}` : ''}: ${text(reason)}`
  },
  apiSession: ({ event_type, ip_address, identity_id, message }, nameOf) => {
    const name = nameOf(text(identity_id)) ?? (identity_id ? unknownIdentity(text(identity_id)) : undefined)
    const what = text(message) || (SESSION_EVENTS[text(event_type)] ?? text(event_type))
    return `Session${name ? ` of ${name}` : ''} ${what}, ${text(ip_address)}`
  },
  entityChange: (event) => `${authorOf(event)} ${text(event.eventType)} the ${kindOf(event)} ${nameOfEntity(event)}`,
  signerHealth: ({ external_jwt_signer_id: id, message }, nameOf) =>
    `The signer “${nameOf(text(id)) ?? text(id)}”: ${text(message)}`,
  enrollment: ({ success, identity_name, reason, request_id }, nameOf) => {
    if (success === true) return `${text(identity_name)} was enrolled`
    const name = nameOf(text(request_id))
    return `Enrollment refused${name ? ` for ${name}` : ''}: ${text(reason)}`
  },
  identitySync: (event, nameOf) => {
    const { event_type, identity_name, external_jwt_signer_id: id, claim, message } = event
    const signer = `the signer “${nameOf(text(id)) ?? text(id)}”`
    if (event_type === 'warning') return `${text(identity_name)}, claim ${text(claim)} of ${signer}: ${text(message)}`
    return `${text(identity_name)} changed by ${signer}${attributeChanges(event)}`
  },
  providerEvent: (event, nameOf) => {
    const { event_type, type, external_jwt_signer_id: id } = event
    const result = MESSAGE_RESULTS[text(event_type)]?.(event) ?? text(event_type)
    return `${text(type)} of the signer “${nameOf(text(id)) ?? text(id)}” ${result}`
  },
  apiAccount: ({ api_account_name: name, message }) => `API account “${text(name)}”: ${text(message)}`,
}

/** A deleted identity has no name any more. */
function unknownIdentity(id: string): string {
  return id === '' ? 'An identity' : `The identity ${id}`
}

/** What a request of an identity provider did to an identity; other messages are applied. */
const ACTIONS_DONE: Readonly<Record<string, string>> = {
  disable: 'applied: disabled an identity',
  enable: 'applied: enabled an identity',
  delete: 'applied: deleted an identity',
}

/** What a message of an identity provider did, by its `event_type`. */
const MESSAGE_RESULTS: Readonly<Record<string, (event: ControllerEvent) => string>> = {
  applied: ({ action, sessions_ended }) => {
    const done = ACTIONS_DONE[text(action)] ?? 'applied'
    return `${done}, ${sessions_ended} sessions ended`
  },
  logged: () => 'logged only',
  replayed: () => 'received again, without effect',
  refused: ({ reason }) => `refused: ${text(reason)}`,
}

function attributeChanges({ added, removed }: ControllerEvent): string {
  const listed = (sign: string, names: unknown) => (Array.isArray(names) ? names.map((name) => `${sign}${name}`) : [])
  const changes = [...listed('+', added), ...listed('−', removed)]
  return changes.length === 0 ? '' : `: ${changes.join(' ')}`
}

/** One sentence about an event; the namespace itself when it is unknown. */
export function describeEvent(event: ControllerEvent, nameOf: NameOf = () => undefined): string {
  return SENTENCES[event.namespace]?.(event, nameOf) ?? event.namespace
}

/** Whether an administrator should look at the event. */
export function needsAttention({ namespace, success, event_type }: ControllerEvent): boolean {
  const isWarning = namespace === 'identitySync' && event_type === 'warning'
  const isRefused = namespace === 'providerEvent' && event_type === 'refused'
  return namespace === 'signerHealth' || namespace === 'apiAccount' || isWarning || isRefused || success === false
}

function authorOf({ metadata }: ControllerEvent): string {
  const { author } = (metadata ?? {}) as { author?: { type?: string; name?: string } }
  const byType: Readonly<Record<string, string>> = { system: 'The controller', unattributed: 'An enrollment' }
  return byType[author?.type ?? ''] ?? (author?.name || 'An unknown caller')
}

function kindOf({ entityType }: ControllerEvent): string {
  return KINDS[text(entityType)] ?? text(entityType)
}

function nameOfEntity({ initialState, finalState }: ControllerEvent): string {
  const { name, id } = ((finalState ?? initialState) as { name?: string; id?: string } | null) ?? {}
  return `“${name ?? id ?? 'unknown'}”`
}
