import { type ChangeOptions, ifMatchHeaders } from '../controller/resource.ts'
import { pathOf } from '../http/json-api.ts'
import type { AccountJob } from '../wire-types.ts'
import { HostedCollection } from './hosted-resource.ts'
import type { AccountWithCredentials } from './hosted-types.ts'

/** Work at identity providers for API accounts that is not done yet, or has failed. */
export class AccountJobs extends HostedCollection<AccountJob> {
  /** Does what is left at the provider, and repeats a failed creation or rotation. Only then there is an account, with its password. */
  async repeat(id: string, { ifMatch, ...options }: ChangeOptions = {}): Promise<AccountWithCredentials | undefined> {
    return this.call({ method: 'POST', path: `${pathOf('', id)}/repeat`, headers: ifMatchHeaders(ifMatch), ...options })
  }

  /** Forgets the job. What it would have removed at the provider stays there. */
  async dismiss(id: string, { ifMatch, ...options }: ChangeOptions = {}): Promise<void> {
    await this.call({ method: 'DELETE', path: pathOf('', id), headers: ifMatchHeaders(ifMatch), ...options })
  }
}
