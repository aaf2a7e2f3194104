import { pathOf } from '../http/json-api.ts'
import type { CallOptions } from '../http/transport.ts'
import type { Authenticator, Enrollment, Identity, IdentityChanges, IdentityInput } from '../wire-types.ts'
import { NamedResource } from './resource.ts'

/** Identities, and what belongs to one of them. */
export class Identities extends NamedResource<Identity, IdentityInput, IdentityChanges> {
  /** Keeps an identity out and ends its sessions: for so many minutes, or until somebody enables it. */
  async disable(id: string, options: CallOptions & { readonly minutes?: number } = {}): Promise<void> {
    const { minutes = 0, ...rest } = options
    await this.act(id, 'disable', { durationMinutes: minutes }, rest)
  }

  async enable(id: string, options: CallOptions = {}): Promise<void> {
    await this.act(id, 'enable', undefined, options)
  }

  /** Takes the identity's one-time codes away, so that it can set up new ones. */
  async resetMfa(id: string, options: CallOptions = {}): Promise<void> {
    await this.#remove(id, 'mfa', options)
  }

  /** Ends all sessions of an identity. */
  async endSessions(id: string, options: CallOptions = {}): Promise<void> {
    await this.#remove(id, 'api-sessions', options)
  }

  /** Asks the identity to renew its certificates, with a new key if wanted. */
  async requestExtend(id: string, options: CallOptions & { readonly rollKeys?: boolean } = {}): Promise<void> {
    const { rollKeys = false, ...rest } = options
    await this.act(id, 'request-extend', { rollKeys }, rest)
  }

  authenticators(id: string, options: CallOptions = {}): Promise<Authenticator[]> {
    return this.#below(id, 'authenticators', options)
  }

  enrollments(id: string, options: CallOptions = {}): Promise<Enrollment[]> {
    return this.#below(id, 'enrollments', options)
  }

  async #below<Data>(id: string, name: string, options: CallOptions): Promise<Data> {
    return this.api.call('management', { method: 'GET', path: pathOf(this.path, id, name), ...options })
  }

  async #remove(id: string, name: string, options: CallOptions): Promise<unknown> {
    return this.api.call('management', { method: 'DELETE', path: pathOf(this.path, id, name), ...options })
  }
}
