import { ControllerClient, type ControllerClientOptions } from '../controller/controller-client.ts'
import { CountersignError } from '../countersign-error.ts'
import { type ApiCall, JsonApi } from '../http/json-api.ts'
import type { CallOptions, TransportOptions } from '../http/transport.ts'
import type { TokenRequestOptions } from '../token/build-token-request.ts'
import type { TokenStore } from '../token/token-source.ts'
import type { OrganizationChanges, OrganizationInput } from '../wire-types.ts'
import { AccountJobs } from './account-jobs.ts'
import { Accounts } from './accounts.ts'
import { AuditEvents } from './audit-events.ts'
import { buildHostedAuthorization, type HostedCaller } from './hosted-authorization.ts'
import { HostedCollection, HostedResource } from './hosted-resource.ts'
import type { HostedIdentity, Network, NetworkGroup, Organization, Role } from './hosted-types.ts'
import { Networks } from './networks.ts'
import { OperatorOrganizations } from './operator-organizations.ts'
import { Providers } from './providers.ts'

export interface HostedClientOptions extends HostedCaller, Omit<TokenRequestOptions, 'hostedUrl'>, TransportOptions {
  /** The base address of the hosted API. */
  readonly baseUrl: string
  /** Keeps tokens beyond this process. Default: none. */
  readonly store?: TokenStore | undefined
}

const MANAGEMENT_PATH = '/edge/management/v1'
const UNAUTHORIZED = 401

/** A client of the hosted management API. Every method throws CountersignError. */
export class HostedClient {
  readonly networks: Networks
  readonly networkGroups: HostedCollection<NetworkGroup>
  readonly accounts: Accounts
  readonly accountJobs: AccountJobs
  readonly providers: Providers
  /** All organizations, for administrators of the one that owns the controller. */
  readonly operatorOrganizations: OperatorOrganizations
  readonly organizations: HostedResource<Organization, OrganizationInput, OrganizationChanges>
  readonly identities: HostedCollection<HostedIdentity>
  /** What happened in the caller's organization. */
  readonly auditEvents: AuditEvents
  /** The roles of API accounts, with what they permit. */
  readonly roles: HostedCollection<Role>
  readonly #api: JsonApi
  readonly #options: HostedClientOptions

  constructor(options: HostedClientOptions) {
    this.#options = options
    const authorization = buildHostedAuthorization({ ...options, hostedUrl: options.baseUrl })
    this.#api = new JsonApi(options.baseUrl, authorization, options)
    this.networks = new Networks(this.#api, '/core/v3/networks', 'networkList')
    this.networkGroups = new HostedCollection(this.#api, '/core/v3/network-groups', 'networkGroupList')
    this.accounts = new Accounts(this.#api, '/identity/v1/api-account-identities')
    this.accountJobs = new AccountJobs(this.#api, '/identity/v1/account-jobs')
    this.providers = new Providers(this.#api, '/identity/v1/identity-providers')
    this.organizations = new HostedResource(this.#api, '/identity/v1/organizations')
    this.operatorOrganizations = new OperatorOrganizations(this.#api, '/identity/v1/operator/organizations')
    this.identities = new HostedCollection(this.#api, '/identity/v1/identities')
    this.auditEvents = new AuditEvents(this.#api)
    this.roles = new HostedCollection(this.#api, '/auth/v1/roles')
  }

  /** The identity of the caller. Succeeds only with a valid token. */
  async self(options: CallOptions = {}): Promise<HostedIdentity> {
    return (await this.#api.call({ method: 'GET', path: '/identity/v1/identities/self', ...options })) as HostedIdentity
  }

  /** Calls an endpoint that has no method here, by its full path. Returns the JSON of the response, undefined for an empty one. */
  request(call: ApiCall): Promise<unknown> {
    return this.#api.call(call)
  }

  /** A client of a network's controller, logged in as this account. Ended sessions are renewed. */
  async connect(networkId: string, options: CallOptions = {}): Promise<ControllerClient> {
    const session = await this.networks.exchange(networkId, options)
    return this.#open(networkId, withoutManagementPath(session.networkControllerUrl), session.value)
  }

  /**
   * A client of the controller that serves this API, at the same address, logged in as this account. Ended sessions are renewed. Throws
   * NO_LOCAL_NETWORK when the account's organization has no network on it.
   */
  async connectLocal(options: CallOptions = {}): Promise<ControllerClient> {
    const network = await this.#findLocalNetwork(options)
    if (!network) {
      throw new CountersignError({
        code: 'NO_LOCAL_NETWORK',
        message: `the organization of this account has no network on the controller at ${this.#options.baseUrl}`,
        hint: 'use an account of the organization that owns the controller',
      })
    }
    const { value } = await this.networks.exchange(network.id, options)
    return this.#open(network.id, this.#options.baseUrl, value)
  }

  async #findLocalNetwork(options: CallOptions): Promise<Network | undefined> {
    for await (const network of this.networks.list(options)) if (network.isLocal) return network
    return undefined
  }

  #open(networkId: string, baseUrl: string, session: string): ControllerClient {
    const { fetch, timeoutMs, retries } = this.#options
    let current = session
    const renewSession = async (call: CallOptions): Promise<string> => {
      // A 401 with a live session is a missing permission, which another session lacks too.
      if (!(await isLive({ baseUrl, fetch, retries, session: current }, call))) {
        current = (await this.networks.exchange(networkId, call)).value
      }
      return current
    }
    return new ControllerClient({ baseUrl, session, renewSession, fetch, timeoutMs, retries })
  }
}

async function isLive(options: ControllerClientOptions, call: CallOptions): Promise<boolean> {
  try {
    await new ControllerClient(options).currentSession(call)
    return true
  } catch (error) {
    if (error instanceof CountersignError && error.status === UNAUTHORIZED) return false
    throw error
  }
}

function withoutManagementPath(url: string): string {
  return url.endsWith(MANAGEMENT_PATH) ? url.slice(0, -MANAGEMENT_PATH.length) : url
}
