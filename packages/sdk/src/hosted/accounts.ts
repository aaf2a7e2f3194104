import { type ChangeOptions, ifMatchHeaders } from '../controller/resource.ts'
import { pathOf } from '../http/json-api.ts'
import type { AccountChanges, AccountInput, AccountRotation } from '../wire-types.ts'
import { HostedResource } from './hosted-resource.ts'
import type { Account, AccountWithCredentials } from './hosted-types.ts'

export interface AccountWriteOptions extends ChangeOptions {
  /** Accepts conditions that any repository, project or namespace at the issuer would meet. */
  readonly confirmBroad?: boolean
}

/** API accounts. Only `create` and `rotate` return the password. */
export class Accounts extends HostedResource<Account, AccountInput, AccountChanges, AccountWithCredentials> {
  override create(input: AccountInput, options: AccountWriteOptions = {}): Promise<AccountWithCredentials> {
    return this.call({ method: 'POST', path: '', body: input, ...withQuery(options) })
  }

  override async update(id: string, changes: AccountChanges, options: AccountWriteOptions = {}): Promise<Account> {
    return this.call({ method: 'PATCH', path: pathOf('', id), body: changes, ...withQuery(options) })
  }

  override async replace(id: string, input: AccountInput, options: AccountWriteOptions = {}): Promise<Account> {
    return this.call({ method: 'PUT', path: pathOf('', id), body: input, ...withQuery(options) })
  }

  /** Issues new credentials. The old ones stay valid for an hour, or for `overlapMinutes`. */
  async rotate(
    id: string,
    rotation: AccountRotation = {},
    { ifMatch, ...options }: ChangeOptions = {},
  ): Promise<AccountWithCredentials> {
    const headers = ifMatchHeaders(ifMatch)
    return this.call({ method: 'POST', path: `${pathOf('', id)}/rotate`, body: rotation, headers, ...options })
  }

  /** The credentials of a planned rotation, once: for an administrator, or the account itself with its old ones. */
  async pickUp(id: string, { ifMatch, ...options }: ChangeOptions = {}): Promise<AccountWithCredentials> {
    return this.call({
      method: 'POST',
      path: `${pathOf('', id)}/pick-up`,
      headers: ifMatchHeaders(ifMatch),
      ...options,
    })
  }

  /** Deactivates the account: its tokens are refused and its sessions end. */
  disable(id: string, options: ChangeOptions = {}): Promise<Account> {
    return this.update(id, { active: false }, options)
  }

  enable(id: string, options: ChangeOptions = {}): Promise<Account> {
    return this.update(id, { active: true }, options)
  }
}

function withQuery({ confirmBroad, ifMatch, ...options }: AccountWriteOptions) {
  return { ...options, headers: ifMatchHeaders(ifMatch), ...(confirmBroad && { query: { confirmBroad } }) }
}
