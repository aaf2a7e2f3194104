import { pathOf } from '../http/json-api.ts'
import type { CallOptions } from '../http/transport.ts'
import type { AdministrationTest, ProviderChanges, ProviderInput } from '../wire-types.ts'
import { HostedResource } from './hosted-resource.ts'
import type { IdentityProvider } from './hosted-types.ts'

/** The identity providers whose tokens the organization trusts. */
export class Providers extends HostedResource<IdentityProvider, ProviderInput, ProviderChanges> {
  /** Tries the administration of the record. Says which permission is missing at the provider. */
  async test(id: string, options: CallOptions = {}): Promise<AdministrationTest> {
    return this.call({ method: 'POST', path: `${pathOf('', id)}/test`, ...options })
  }
}
