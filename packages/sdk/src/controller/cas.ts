import { pathOf } from '../http/json-api.ts'
import { readText } from '../http/read-body.ts'
import type { CallOptions } from '../http/transport.ts'
import type { Ca, CaChanges, CaInput } from '../wire-types.ts'
import { type ChangeOptions, ifMatchHeaders, NamedResource } from './resource.ts'

/** Third-party CAs. */
export class Cas extends NamedResource<Ca, CaInput, CaChanges> {
  /** Proves the possession of the private key by a certificate that it signed, with the `verificationToken` as common name. */
  async verify(id: string, certPem: string, options: CallOptions = {}): Promise<void> {
    await this.act(id, 'verify', certPem, options)
  }

  /** The JWT with which clients enroll by a certificate of the CA. It holds no secret. */
  async jwt(id: string, options: CallOptions = {}): Promise<string> {
    return readText(
      await this.api.open('management', { method: 'GET', path: `${pathOf(this.path, id)}/jwt`, ...options }),
    )
  }

  /** Trusts a CA as it is. For administrators; `ifMatch` ensures that it is still the version that was reviewed. */
  async trust(id: string, { ifMatch, ...options }: ChangeOptions = {}): Promise<void> {
    const path = `${pathOf(this.path, id)}/trust`
    await this.api.call('management', { method: 'POST', path, headers: ifMatchHeaders(ifMatch), ...options })
  }
}
