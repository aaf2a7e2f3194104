import { type ChangeOptions, ifMatchHeaders } from '../controller/resource.ts'
import { type ApiCall, pathOf } from '../http/json-api.ts'
import type { CallOptions } from '../http/transport.ts'
import type { OrganizationQuotaChanges } from '../wire-types.ts'
import { HostedCollection } from './hosted-resource.ts'
import type { OperatorOrganization, OrganizationQuotas } from './hosted-types.ts'

/** All organizations of a controller, for administrators of the one that owns it. */
export class OperatorOrganizations extends HostedCollection<OperatorOrganization> {
  /** Refuses the tokens of the organization's accounts and ends their sessions. The accounts learn the reason. */
  async suspend(id: string, reason?: string, options: ChangeOptions = {}): Promise<OperatorOrganization> {
    const body = reason === undefined ? undefined : { reason }
    return this.#change({ method: 'POST', path: `${pathOf('', id)}/suspend`, body }, options)
  }

  /** Accepts the tokens of the organization's accounts again. */
  async resume(id: string, options: ChangeOptions = {}): Promise<OperatorOrganization> {
    return this.#change({ method: 'POST', path: `${pathOf('', id)}/resume` }, options)
  }

  async quotas(id: string, options: CallOptions = {}): Promise<OrganizationQuotas> {
    return this.call({ method: 'GET', path: `${pathOf('', id)}/quotas`, ...options })
  }

  /** Sets the given quotas; null sets the default. */
  async setQuotas(
    id: string,
    changes: OrganizationQuotaChanges,
    options: ChangeOptions = {},
  ): Promise<OrganizationQuotas> {
    return this.#change({ method: 'PATCH', path: `${pathOf('', id)}/quotas`, body: changes }, options)
  }

  async #change<Result>(call: ApiCall, { ifMatch, ...options }: ChangeOptions): Promise<Result> {
    return this.call({ ...call, headers: ifMatchHeaders(ifMatch), ...options })
  }
}
