import { newSecret } from '@countersign/core'
import type { Adapter } from 'oidc-provider'
import type { RegisteredClient } from '../outbound/client-registration.ts'
import { newClientId, newClientSecret } from './client-secret.ts'

interface RegistrationParts {
  readonly adapter: (model: string) => Adapter
  readonly registrationUrl: string
}

/** The kind of token that `oidc-provider` accepts at the client configuration endpoint. */
const TOKEN_MODEL = 'RegistrationAccessToken'

/** Registers a client for client credentials in the client store of `oidc-provider`, without loading it. */
export async function registerMachine(
  { adapter, registrationUrl }: RegistrationParts,
  name: string,
): Promise<RegisteredClient> {
  const [clientId, clientSecret, registrationToken] = [newClientId(), newClientSecret(), newSecret()]
  const iat = Math.floor(Date.now() / 1000)
  const client = {
    client_id: clientId,
    client_secret: clientSecret,
    client_id_issued_at: iat,
    client_secret_expires_at: 0,
    client_name: name,
    grant_types: ['client_credentials'],
    response_types: [],
    redirect_uris: [],
    token_endpoint_auth_method: 'client_secret_basic',
  } as const
  await adapter('Client').upsert(clientId, client as never, 0)
  await adapter(TOKEN_MODEL).upsert(registrationToken, { iat, jti: registrationToken, kind: TOKEN_MODEL, clientId }, 0)
  return { clientId, clientSecret, registrationUri: `${registrationUrl}/${clientId}`, registrationToken }
}
