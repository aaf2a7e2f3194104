import { pathOf } from '../http/json-api.ts'
import type { CallOptions } from '../http/transport.ts'
import type { AccountChanges, AccountInput, AccountRotation } from '../wire-types.ts'
import { HostedResource } from './hosted-resource.ts'
import type { Account, AccountWithCredentials } from './hosted-types.ts'

/** API accounts. `create` and `rotate` give the password once. */
export class Accounts extends HostedResource<Account, AccountInput, AccountChanges, AccountWithCredentials> {
  /** Gives the account new credentials; the old ones go on for an hour, or for as long as is said. */
  async rotate(id: string, rotation: AccountRotation = {}, options: CallOptions = {}): Promise<AccountWithCredentials> {
    return this.call({ method: 'POST', path: `${pathOf('', id)}/rotate`, body: rotation, ...options })
  }

  /** Refuses the account's tokens from now on, and ends its sessions. */
  disable(id: string, options: CallOptions = {}): Promise<Account> {
    return this.update(id, { active: false }, options)
  }

  enable(id: string, options: CallOptions = {}): Promise<Account> {
    return this.update(id, { active: true }, options)
  }
}
