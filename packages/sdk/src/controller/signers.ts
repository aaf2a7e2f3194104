import type { CallOptions } from '../http/transport.ts'
import type {
  DiscoveredSigner,
  Explanation,
  KeyStatus,
  Signer,
  SignerCertificate,
  SignerChanges,
  SignerInput,
} from '../wire-types.ts'
import { NamedResource } from './resource.ts'

/** External JWT Signers. */
export class Signers extends NamedResource<Signer, SignerInput, SignerChanges> {
  /** Why a token is refused, or that it is not. The answer does not repeat the token. */
  explain(token: string, options: CallOptions & { readonly method?: 'ext-jwt' | 'enroll' } = {}): Promise<Explanation> {
    const { method = 'ext-jwt', ...rest } = options
    const body = { token, method }
    return this.api.call('management', {
      method: 'POST',
      path: `${this.path}/explain`,
      body,
      isRepeatable: true,
      ...rest,
    })
  }

  /** The members of a signer, from the issuer's own document. */
  discover(issuer: string, options: CallOptions = {}): Promise<DiscoveredSigner> {
    const path = `${this.path}/discover`
    return this.api.call('management', { method: 'POST', path, body: { issuer }, isRepeatable: true, ...options })
  }

  /** What is in a certificate that a signer could have; refused as saving it would be. */
  readCertificate(certPem: string, options: CallOptions = {}): Promise<SignerCertificate> {
    const path = `${this.path}/read-certificate`
    return this.api.call('management', { method: 'POST', path, body: { certPem }, isRepeatable: true, ...options })
  }

  /** Fetches a signer's keys now, and tells how that went. */
  async refreshKeys(id: string, options: CallOptions = {}): Promise<KeyStatus> {
    return (await this.act<{ keyStatus: KeyStatus }>(id, 'refresh-keys', undefined, options)).keyStatus
  }
}
