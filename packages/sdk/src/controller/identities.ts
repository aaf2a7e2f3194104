import { pathOf } from '../http/json-api.ts'
import type { CallOptions } from '../http/transport.ts'
import type { Authenticator, Enrollment, Identity, IdentityChanges, IdentityInput, Passkey } from '../wire-types.ts'
import { NamedResource } from './resource.ts'

/** Identities, with their authenticators, enrollments and sessions. */
export class Identities extends NamedResource<Identity, IdentityInput, IdentityChanges> {
  /** Disables an identity and ends its sessions: for `minutes`, or until it is enabled again. */
  async disable(id: string, options: CallOptions & { readonly minutes?: number } = {}): Promise<void> {
    const { minutes = 0, ...rest } = options
    await this.act(id, 'disable', { durationMinutes: minutes }, rest)
  }

  async enable(id: string, options: CallOptions = {}): Promise<void> {
    await this.act(id, 'enable', undefined, options)
  }

  /** Removes the identity's one-time codes, so that it can set up new ones. */
  async resetMfa(id: string, options: CallOptions = {}): Promise<void> {
    await this.#remove(id, 'mfa', options)
  }

  /** The passkeys of an identity. */
  passkeys(id: string, options: CallOptions = {}): Promise<Passkey[]> {
    return this.#listRelated(id, 'passkeys', options)
  }

  /** Removes a passkey of an identity, and ends the sessions that it has opened or completed. */
  async deletePasskey(id: string, passkeyId: string, options: CallOptions = {}): Promise<void> {
    const path = pathOf(`${pathOf(this.path, id)}/passkeys`, passkeyId)
    await this.api.call('management', { method: 'DELETE', path, ...options })
  }

  /** Ends all sessions of an identity. */
  async endSessions(id: string, options: CallOptions = {}): Promise<void> {
    await this.#remove(id, 'api-sessions', options)
  }

  /** Requests that the identity renew its certificates; `rollKeys` demands new keys. */
  async requestExtend(id: string, options: CallOptions & { readonly rollKeys?: boolean } = {}): Promise<void> {
    const { rollKeys = false, ...rest } = options
    await this.act(id, 'request-extend', { rollKeys }, rest)
  }

  authenticators(id: string, options: CallOptions = {}): Promise<Authenticator[]> {
    return this.#listRelated(id, 'authenticators', options)
  }

  enrollments(id: string, options: CallOptions = {}): Promise<Enrollment[]> {
    return this.#listRelated(id, 'enrollments', options)
  }

  async #listRelated<Data>(id: string, name: string, options: CallOptions): Promise<Data> {
    return this.api.call('management', { method: 'GET', path: pathOf(this.path, id, name), ...options })
  }

  async #remove(id: string, name: string, options: CallOptions): Promise<unknown> {
    return this.api.call('management', { method: 'DELETE', path: pathOf(this.path, id, name), ...options })
  }
}
