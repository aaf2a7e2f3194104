import type { ControllerEvent } from '../api/event-stream.ts'

/** The name of an identity or a signer, as far as it is known. */
export type NameOf = (id: string) => string | undefined

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The ways of signing in, and of enrolling, as people say them. */
const WAYS: Readonly<Record<string, string>> = {
  password: 'password',
  cert: 'certificate',
  'ext-jwt': 'token',
  totp: 'one-time code',
  'api-account': 'access token of an API account',
}

export const wayOf = (method: string): string => WAYS[method] ?? method

const KINDS: Readonly<Record<string, string>> = {
  apiAccounts: 'API account',
  authPolicies: 'policy',
  authenticators: 'authenticator',
  enrollments: 'enrollment',
  externalJwtSigners: 'signer',
  identities: 'identity',
  identityProviders: 'identity provider',
  networks: 'network',
  organizations: 'organization',
}

const SESSION_MOVES: Readonly<Record<string, string>> = {
  created: 'begun',
  deleted: 'ended',
  refreshed: 'renewed',
  exchanged: 'exchanged',
  addressChanged: 'used from a new network',
  agentChanged: 'used by a new program',
}

/** What each kind of event says, in a line. */
const SENTENCES: Readonly<Record<string, (event: ControllerEvent, nameOf: NameOf) => string>> = {
  authentication: ({ success, type, reason, identity_id }, nameOf) => {
    const way = wayOf(text(type))
    const who = nameOf(text(identity_id))
    if (success === true) return `${who ?? 'Somebody'} signed in by ${way}`
    return `Sign-in by ${way} refused${who ? ` for ${who}` : ''}: ${text(reason)}`
  },
  apiSession: ({ event_type, ip_address, identity_id }, nameOf) => {
    const who = nameOf(text(identity_id))
    return `Session${who ? ` of ${who}` : ''} ${SESSION_MOVES[text(event_type)] ?? text(event_type)}, ${text(ip_address)}`
  },
  entityChange: (event) => `${authorOf(event)} ${text(event.eventType)} the ${kindOf(event)} ${nameOfEntity(event)}`,
  signerHealth: ({ external_jwt_signer_id: id, message }, nameOf) =>
    `The signer “${nameOf(text(id)) ?? text(id)}”: ${text(message)}`,
  enrollment: ({ success, identity_name, reason }) =>
    success === true ? `${text(identity_name)} was enrolled` : `Enrollment refused: ${text(reason)}`,
}

/** A line about an event, whatever its kind. */
export function describeEvent(event: ControllerEvent, nameOf: NameOf = () => undefined): string {
  return SENTENCES[event.namespace]?.(event, nameOf) ?? event.namespace
}

/** Whether it tells of something that an administrator may want to look at. */
export function isTrouble({ namespace, success }: ControllerEvent): boolean {
  return namespace === 'signerHealth' || success === false
}

function authorOf({ metadata }: ControllerEvent): string {
  const { author } = (metadata ?? {}) as { author?: { type?: string; name?: string } }
  return author?.type === 'system' ? 'The controller' : author?.name || 'Somebody'
}

function kindOf({ entityType }: ControllerEvent): string {
  return KINDS[text(entityType)] ?? text(entityType)
}

function nameOfEntity({ initialState, finalState }: ControllerEvent): string {
  const { name, id } = ((finalState ?? initialState) as { name?: string; id?: string } | null) ?? {}
  return `“${name ?? id ?? 'something'}”`
}
