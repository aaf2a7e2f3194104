import type { LoginMethodName } from '@countersign/core'
import type { JsonText } from './json-text.ts'

/** The result of a login. A refused login by JWT names neither signer nor identity: several may have been tried. */
export interface AuthenticationEvent {
  readonly namespace: 'authentication'
  readonly event_type: 'success' | 'fail'
  readonly type: LoginMethodName | 'totp'
  readonly authenticator_id: string
  readonly external_jwt_signer_id: string
  /** The third-party CA of a certificate. */
  readonly ca_id: string
  readonly identity_id: string
  readonly auth_policy_id: string
  readonly remote_address: string
  readonly success: boolean
  readonly reason: string
  readonly improper_client_cert_chain: boolean
  /** The id of the decision of a refused login in `auth-decisions`. */
  readonly request_id: string
}

/** The start, refresh and end of a session, and its use from a new address or by a new program. */
export interface ApiSessionEvent {
  readonly namespace: 'apiSession'
  readonly event_type: 'created' | 'deleted' | 'refreshed' | 'exchanged' | 'addressChanged' | 'agentChanged'
  readonly id: string
  readonly type: 'legacy' | 'jwt'
  readonly identity_id: string
  readonly ip_address: string
  readonly cert_generated: boolean
  /** Set, with the next two, when an identity provider ended the session: `backchannel-logout`, or the name of a security event. */
  readonly reason?: string
  readonly external_jwt_signer_id?: string
  readonly message?: string
}

/** A change of an entity by an administrator or by the controller itself. */
export interface EntityChangeEvent {
  readonly namespace: 'entityChange'
  readonly eventId: string
  readonly eventType: 'created' | 'updated' | 'deleted'
  readonly entityType: string
  readonly isParentEvent: boolean
  readonly metadata: {
    readonly author:
      | { readonly type: 'identity' | 'system'; readonly id: string; readonly name: string }
      | { readonly type: 'unattributed' }
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

/** A warning about the keys of a signer, for administrators. */
export interface SignerHealthEvent {
  readonly namespace: 'signerHealth'
  readonly event_type: string
  readonly external_jwt_signer_id: string
  readonly message: string
}

/** The result of an enrollment by a token of an identity provider, with the claims that set name and attributes. */
export interface EnrollmentEvent {
  readonly namespace: 'enrollment'
  readonly event_type: 'success' | 'fail'
  /** What the enrollment was for: a certificate, or token login. */
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

/** A token of a signer changed the attributes or the name of an identity, or could not. */
export interface IdentitySyncEvent {
  readonly namespace: 'identitySync'
  readonly event_type: 'changed' | 'warning'
  readonly external_jwt_signer_id: string
  readonly identity_id: string
  /** The name of the identity after the change. */
  readonly identity_name: string
  readonly added: readonly string[]
  readonly removed: readonly string[]
  /** Of a warning: the selector of the claim, and what is wrong with it. */
  readonly claim: string
  readonly reason: string
  readonly message: string
}

/** A logout token, security event token or SCIM request that an identity provider sent. */
export interface ProviderEvent {
  readonly namespace: 'providerEvent'
  readonly event_type: 'applied' | 'logged' | 'replayed' | 'refused'
  /** `backchannel-logout`, `scim`, or the name of a security event such as `session-revoked`. Empty for an unreadable token. */
  readonly type: string
  readonly external_jwt_signer_id: string
  /** What the signer's settings say it does; empty for a refused token. */
  readonly action: string
  /** The identities whose sessions ended, or that were disabled or enabled. */
  readonly identity_ids: readonly string[]
  readonly sessions_ended: number
  /** Why it was refused; `subject-unknown` when it was only logged because its subject has no linked identity or session. */
  readonly reason: string
  readonly message: string
  readonly remote_address: string
  /** The id of the decision of a refused token in `auth-decisions`. */
  readonly request_id: string
}

/** A warning about an API account, for administrators. */
export interface ApiAccountEvent {
  readonly namespace: 'apiAccount'
  readonly event_type: 'unused'
  readonly api_account_id: string
  readonly api_account_name: string
  readonly organization_id: string
  /** Empty when it was never used. */
  readonly last_used_at: string
  readonly message: string
}

/** A message of the controller to one sink: a test, or that events were deleted before they were delivered. */
export interface EventSinkEvent {
  readonly namespace: 'eventSink'
  readonly event_type: 'test' | 'dropped'
  readonly event_sink_id: string
  readonly event_sink_name: string
  readonly message: string
}

/** The signed end of the audit record of a node. */
export interface AuditHeadEvent {
  readonly namespace: 'auditHead'
  readonly event_type: 'signed'
  readonly node: string
  readonly sequence: number
  readonly hash: string
  readonly signature: string
}

export type ControllerEvent =
  | AuthenticationEvent
  | ApiSessionEvent
  | EntityChangeEvent
  | SignerHealthEvent
  | EnrollmentEvent
  | IdentitySyncEvent
  | ProviderEvent
  | ApiAccountEvent
  | EventSinkEvent
  | AuditHeadEvent

export type EventNamespace = ControllerEvent['namespace']

/** The namespaces by each name that clients can request. */
export const NAMESPACE_NAMES: ReadonlyMap<string, EventNamespace> = new Map([
  ['authentication', 'authentication'],
  ['apiSession', 'apiSession'],
  ['entityChange', 'entityChange'],
  ['signerHealth', 'signerHealth'],
  ['enrollment', 'enrollment'],
  ['identitySync', 'identitySync'],
  ['providerEvent', 'providerEvent'],
  ['apiAccount', 'apiAccount'],
  ['edge.authentications', 'authentication'],
  ['edge.apiSessions', 'apiSession'],
])
