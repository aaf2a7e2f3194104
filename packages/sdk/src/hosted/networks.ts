import { pathOf } from '../http/json-api.ts'
import type { CallOptions } from '../http/transport.ts'
import type { NetworkChanges, NetworkInput } from '../wire-types.ts'
import { HostedResource } from './hosted-resource.ts'
import type { ExchangedSession, Network } from './hosted-types.ts'

/** The networks of the caller's organization. */
export class Networks extends HostedResource<Network, NetworkInput, NetworkChanges> {
  /** Networks with this name, ignoring case; `%` is a wildcard. */
  findByName(name: string, options: CallOptions = {}): AsyncGenerator<Network> {
    return this.list({ ...options, query: { findByName: name } })
  }

  /** Exchanges the access token for a session of the network's controller. `HostedClient.connect` returns a client with it. */
  async exchange(id: string, options: CallOptions = {}): Promise<ExchangedSession> {
    const path = `${pathOf('', id)}/exchange`
    return this.call({ method: 'POST', path, body: { type: 'session' }, isIdempotent: true, ...options })
  }
}
