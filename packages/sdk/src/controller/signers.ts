import { pathOf } from '../http/json-api.ts'
import type { CallOptions } from '../http/transport.ts'
import type {
  DiscoveredSigner,
  Explanation,
  KeyStatus,
  ScimToken,
  Signer,
  SignerCertificate,
  SignerChanges,
  SignerInput,
} from '../wire-types.ts'
import { type ChangeOptions, ifMatchHeaders, NamedResource } from './resource.ts'

/** How a token is explained: for a login unless `method` says otherwise, and with one signer only if `signerId` names it. */
interface ExplainOptions extends CallOptions {
  readonly method?: 'ext-jwt' | 'enroll'
  readonly signerId?: string
}

/** A JWKS. */
export interface PushedKeySet {
  readonly keys: readonly object[]
}

interface ConfirmOptions extends ChangeOptions {
  readonly thumbprints?: readonly string[]
}

/** A single signer, with the state of its keys. Lists leave that out. */
export type SignerDetail = Signer & { readonly keyStatus: KeyStatus }

/** External JWT Signers. */
export class Signers extends NamedResource<Signer, SignerInput, SignerChanges> {
  override async get(id: string, options: CallOptions = {}): Promise<SignerDetail> {
    return (await super.get(id, options)) as SignerDetail
  }

  override async getVersioned(
    id: string,
    options: CallOptions = {},
  ): Promise<{ item: SignerDetail; version: string | undefined }> {
    const { item, version } = await super.getVersioned(id, options)
    return { item: item as SignerDetail, version }
  }

  /** Explains why a token is accepted or refused. The response does not contain the token. */
  explain(token: string, options: ExplainOptions = {}): Promise<Explanation> {
    const { method = 'ext-jwt', signerId, ...rest } = options
    const body = { token, method, ...(signerId && { signerId }) }
    return this.api.call('management', {
      method: 'POST',
      path: `${this.path}/explain`,
      body,
      isIdempotent: true,
      ...rest,
    })
  }

  /** The members of a signer, read from the issuer's discovery document. */
  discover(issuer: string, options: CallOptions = {}): Promise<DiscoveredSigner> {
    const path = `${this.path}/discover`
    return this.api.call('management', { method: 'POST', path, body: { issuer }, isIdempotent: true, ...options })
  }

  /** Parses a signer certificate. Fails for the same reasons as saving it would. */
  readCertificate(certPem: string, options: CallOptions = {}): Promise<SignerCertificate> {
    const path = `${this.path}/read-certificate`
    return this.api.call('management', { method: 'POST', path, body: { certPem }, isIdempotent: true, ...options })
  }

  /** Fetches a signer's keys now and returns the result. */
  async refreshKeys(id: string, options: CallOptions = {}): Promise<KeyStatus> {
    return (await this.act<{ keyStatus: KeyStatus }>(id, 'refresh-keys', undefined, options)).keyStatus
  }

  /**
   * Pushes the keys of a signer with `pushedKeys`. `ifMatch` is the version from `getVersioned`: the call fails with 412 when the signer has changed
   * since, and with 428 without it.
   */
  async pushKeys(
    id: string,
    keySet: PushedKeySet,
    { ifMatch, ...options }: ChangeOptions = {},
  ): Promise<{ readonly keyStatus: KeyStatus }> {
    const path = `${pathOf(this.path, id)}/pushed-keys`
    const headers = ifMatchHeaders(ifMatch)
    return this.api.call('management', { method: 'PUT', path, body: keySet, headers, ...options })
  }

  /** Uses the fetched keys that wait for a confirmation. With `thumbprints`, only if exactly these keys wait. */
  async confirmKeys(
    id: string,
    { ifMatch, thumbprints, ...options }: ConfirmOptions = {},
  ): Promise<{ readonly keyStatus: KeyStatus }> {
    const path = `${pathOf(this.path, id)}/confirm-keys`
    const body = thumbprints ? { thumbprints } : {}
    return this.api.call('management', { method: 'POST', path, body, headers: ifMatchHeaders(ifMatch), ...options })
  }

  /** Trusts a signer as it is. For administrators; `ifMatch` ensures that it is still the version that was reviewed. */
  async trust(id: string, { ifMatch, ...options }: ChangeOptions = {}): Promise<void> {
    const path = `${pathOf(this.path, id)}/trust`
    await this.api.call('management', { method: 'POST', path, headers: ifMatchHeaders(ifMatch), ...options })
  }

  /** The SCIM tokens of a signer, without the tokens themselves. For administrators, like the next two. */
  scimTokens(id: string, options: CallOptions = {}): Promise<readonly ScimToken[]> {
    return this.api.call('management', { method: 'GET', path: `${pathOf(this.path, id)}/scim-tokens`, ...options })
  }

  /** Makes a SCIM token, at most two for a signer. The response is the only one that has `token`. */
  createScimToken(id: string, options: CallOptions = {}): Promise<ScimToken> {
    return this.api.call('management', { method: 'POST', path: `${pathOf(this.path, id)}/scim-tokens`, ...options })
  }

  async deleteScimToken(id: string, tokenId: string, options: CallOptions = {}): Promise<void> {
    const path = pathOf(`${pathOf(this.path, id)}/scim-tokens`, tokenId)
    await this.api.call('management', { method: 'DELETE', path, ...options })
  }
}
