import type { IncomingMessage } from 'node:http'
import { newId } from '@countersign/core'
import type { ChannelName } from '../http/api-paths.ts'
import { findPerson, PEOPLE, type Person } from './people.ts'
import { PUBLIC_CLIENT_ID, SIGNALS_AUDIENCE } from './provider-addresses.ts'
import { type ProviderResponse, readForm } from './provider-http.ts'

/** Sends a signed token to the controller. Resolves to the status of its response; rejects when it refuses the token. */
export type DeliverMessage = (channel: ChannelName, token: string) => Promise<number>

interface MessageParts {
  readonly issuer: string
  sign(claims: Readonly<Record<string, unknown>>, type: string): string
  /** Undefined until the controller has started. */
  readonly deliver: () => DeliverMessage | undefined
}

const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout'
const LOGOUT_SECONDS = 120
const EVENT_BASE = 'https://schemas.openid.net/secevent'
/** The URIs of the security events that can be sent, by name. */
const EVENT_URIS: Readonly<Record<string, string>> = {
  'session-revoked': `${EVENT_BASE}/caep/event-type/session-revoked`,
  'credential-change': `${EVENT_BASE}/caep/event-type/credential-change`,
  'token-claims-change': `${EVENT_BASE}/caep/event-type/token-claims-change`,
  'account-disabled': `${EVENT_BASE}/risc/event-type/account-disabled`,
  'account-enabled': `${EVENT_BASE}/risc/event-type/account-enabled`,
  verification: `${EVENT_BASE}/ssf/event-type/verification`,
}

/** Logs a person out of the provider: sends a logout token to the controller. */
export function createLogoutSender({ issuer, sign, deliver }: MessageParts) {
  return async (request: IncomingMessage): Promise<ProviderResponse> => {
    const form = await readMessageForm(request)
    if ('status' in form) return form
    const iat = now()
    const names = { iss: issuer, aud: PUBLIC_CLIENT_ID, sub: form.person.id }
    const claims = { ...names, iat, exp: iat + LOGOUT_SECONDS, jti: newId(), events: { [LOGOUT_EVENT]: {} } }
    return deliverOrReport(deliver(), 'backchannel-logout', sign(claims, 'logout+jwt'))
  }
}

/** Sends a security event about a person to the controller (RFC 8935). */
export function createSignalSender({ issuer, sign, deliver }: MessageParts) {
  return async (request: IncomingMessage): Promise<ProviderResponse> => {
    const form = await readMessageForm(request)
    if ('status' in form) return form
    const name = form.members.get('event') ?? ''
    const uri = Object.hasOwn(EVENT_URIS, name) ? EVENT_URIS[name] : undefined
    if (uri === undefined) return refused(`event must be one of ${Object.keys(EVENT_URIS).join(', ')}`)
    const { email, id } = form.person
    const subject =
      form.members.get('format') === 'iss_sub'
        ? { format: 'iss_sub', iss: issuer, sub: id }
        : { format: 'email', email }
    const claims = {
      iss: issuer,
      aud: SIGNALS_AUDIENCE,
      iat: now(),
      jti: newId(),
      sub_id: subject,
      events: { [uri]: {} },
    }
    return deliverOrReport(deliver(), 'events', sign(claims, 'secevent+jwt'))
  }
}

const now = (): number => Math.floor(Date.now() / 1000)

interface MessageForm {
  readonly person: Person
  readonly members: ReadonlyMap<string, string>
}

async function readMessageForm(request: IncomingMessage): Promise<MessageForm | ProviderResponse> {
  const form = await readForm(request, { json: true })
  const person = 'members' in form ? findPerson(form.members.get('person')) : undefined
  if (!person || !('members' in form)) return refused(`person must be one of ${PEOPLE.map(({ id }) => id).join(', ')}`)
  return { person, members: form.members }
}

async function deliverOrReport(
  deliver: DeliverMessage | undefined,
  channel: ChannelName,
  token: string,
): Promise<ProviderResponse> {
  if (!deliver) return { status: 503, json: { error: 'temporarily_unavailable' } }
  try {
    return { status: 200, json: { sent: channel, response: await deliver(channel, token) } }
  } catch (error) {
    const description = error instanceof Error ? error.message : 'the controller did not accept it'
    return { status: 502, json: { error: 'not_delivered', error_description: description } }
  }
}

function refused(description: string): ProviderResponse {
  return { status: 400, json: { error: 'invalid_request', error_description: description } }
}
