import type { JsonObject } from '@countersign/core'
import { OutboundError } from '../outbound-error.ts'
import { objectAt, type SendAdministration, textAt } from './administration-request.ts'
import { failed, passed } from './checks.ts'
import type { AdministeredProvider, AdministrationCheck } from './provider-administration.ts'

/** The token of the client that administers others. */
export interface AdministrationToken {
  readonly bearer: string
  /** The whole response of the token endpoint. */
  readonly response: JsonObject
}

interface TokenRequest {
  readonly url: string
  readonly parameters: Readonly<Record<string, string>>
  /** Auth0 takes JSON, others a form. */
  readonly isJson?: boolean
}

/** The secret of the record. Throws `OutboundError` when none is stored. */
export function secretOf({ secret }: AdministeredProvider, member: string): string {
  if (secret !== undefined) return secret
  throw new OutboundError('content', `no secret is stored for the administration of the provider: set ${member}`)
}

/** Gets a token by the client credentials of the record. It is used for one task and not kept. */
export async function fetchAdministrationToken(
  send: SendAdministration,
  provider: AdministeredProvider,
  { url, parameters, isJson = false }: TokenRequest,
): Promise<AdministrationToken> {
  const body = {
    grant_type: 'client_credentials',
    client_id: provider.administration.clientId ?? '',
    client_secret: secretOf(provider, 'administration.clientSecret'),
    ...parameters,
  }
  const content = isJson ? { json: body } : { form: body }
  const { body: response } = await send(provider, url, { method: 'POST', statuses: [200], ...content })
  return { bearer: textAt(response, 'access_token'), response: objectAt(response) }
}

const LOGIN = 'log in as administration.clientId'

/** Checks that the credentials are accepted, then what the token allows. */
export async function testWithToken(
  fetchToken: () => Promise<AdministrationToken>,
  test: (token: AdministrationToken) => Promise<AdministrationCheck[]>,
): Promise<AdministrationCheck[]> {
  let token: AdministrationToken
  try {
    token = await fetchToken()
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    const isRefused = error.status !== undefined && [400, 401, 403].includes(error.status)
    const hint = isRefused ? `: check administration.clientId and clientSecret (${error.tenantMessage})` : ''
    return [failed(LOGIN, isRefused ? `the provider refuses the credentials${hint}` : error.tenantMessage)]
  }
  return [passed(LOGIN), ...(await test(token))]
}
