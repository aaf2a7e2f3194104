import { pathOf } from '../http/json-api.ts'
import type { CallOptions } from '../http/transport.ts'
import type { ApiSession } from '../wire-types.ts'
import { ReadableResource } from './resource.ts'

/** API sessions: those of all identities, or the caller's own. */
export class ApiSessions extends ReadableResource<ApiSession> {
  async delete(id: string, options: CallOptions = {}): Promise<void> {
    await this.api.call('management', { method: 'DELETE', path: pathOf(this.path, id), ...options })
  }
}
