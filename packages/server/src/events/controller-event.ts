import type { LoginMethod } from '@countersign/core'
import type { JsonText } from './json-text.ts'

/** How an attempt to sign in ended. A refusal by JWT names neither signer nor identity: several may have been tried. */
export interface AuthenticationEvent {
  readonly namespace: 'authentication'
  readonly event_type: 'success' | 'fail'
  readonly type: LoginMethod | 'totp'
  readonly authenticator_id: string
  readonly external_jwt_signer_id: string
  readonly identity_id: string
  readonly auth_policy_id: string
  readonly remote_address: string
  readonly success: boolean
  readonly reason: string
  readonly improper_client_cert_chain: boolean
  /** Under which `auth-decisions` has the whole story of a refusal. */
  readonly request_id: string
}

/** The life of a session, and its use from a new address or by a new program. */
export interface ApiSessionEvent {
  readonly namespace: 'apiSession'
  readonly event_type: 'created' | 'deleted' | 'refreshed' | 'exchanged' | 'addressChanged' | 'agentChanged'
  readonly id: string
  readonly type: 'legacy' | 'jwt'
  readonly identity_id: string
  readonly ip_address: string
  readonly cert_generated: boolean
}

/** What an administrator, or the controller itself, changed. */
export interface EntityChangeEvent {
  readonly namespace: 'entityChange'
  readonly eventId: string
  readonly eventType: 'created' | 'updated' | 'deleted'
  readonly entityType: string
  readonly isParentEvent: boolean
  readonly metadata: {
    readonly author: { readonly type: 'identity' | 'system'; readonly id: string; readonly name: string }
    readonly source:
      | {
          readonly type: 'rest'
          readonly auth: 'edge'
          readonly method: string
          readonly localAddr: string
          readonly remoteAddr: string
        }
      | { readonly type: 'internal' }
    readonly version: string
  }
  readonly initialState: JsonText | null
  readonly finalState: JsonText | null
}

/** Something about the keys of a signer that an administrator should look at. */
export interface SignerHealthEvent {
  readonly namespace: 'signerHealth'
  readonly event_type: string
  readonly external_jwt_signer_id: string
  readonly message: string
}

/** Who was enrolled by a provider's token, and which of its claims made him what he is. */
export interface EnrollmentEvent {
  readonly namespace: 'enrollment'
  readonly event_type: 'success' | 'fail'
  /** What the caller was enrolled to: a certificate, or the use of his tokens. */
  readonly type: string
  readonly external_jwt_signer_id: string
  readonly identity_id: string
  readonly identity_name: string
  readonly auth_policy_id: string
  readonly name_claims_selector: string
  readonly attribute_claims_selector: string
  readonly attributes: readonly string[]
  readonly remote_address: string
  readonly success: boolean
  readonly reason: string
  readonly request_id: string
}

export type ControllerEvent =
  | AuthenticationEvent
  | ApiSessionEvent
  | EntityChangeEvent
  | SignerHealthEvent
  | EnrollmentEvent

export type EventNamespace = ControllerEvent['namespace']

/** Every namespace, under each name by which it can be asked for. */
export const NAMESPACE_NAMES: ReadonlyMap<string, EventNamespace> = new Map([
  ['authentication', 'authentication'],
  ['apiSession', 'apiSession'],
  ['entityChange', 'entityChange'],
  ['signerHealth', 'signerHealth'],
  ['enrollment', 'enrollment'],
  ['edge.authentications', 'authentication'],
  ['edge.apiSessions', 'apiSession'],
])
