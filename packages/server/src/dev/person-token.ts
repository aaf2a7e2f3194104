import type { IncomingMessage } from 'node:http'
import type Provider from 'oidc-provider'
import { findPerson, PEOPLE } from './people.ts'
import { PUBLIC_CLIENT_ID, SIGNER_AUDIENCE, TOKEN_SECONDS } from './provider-addresses.ts'
import { type ProviderResponse, readForm } from './provider-http.ts'
import { PERSON_SCOPES, RESOURCES } from './resources.ts'

/**
 * Issues the token that a person would get from a browser login, for scripts. It grants nothing that the login page does not, which requires
 * no password.
 */
export function createPersonToken(provider: () => Promise<Provider>) {
  return async (request: IncomingMessage): Promise<ProviderResponse> => {
    const form = await readForm(request, { json: true })
    const person = 'members' in form ? findPerson(form.members.get('person')) : undefined
    if (!person) {
      const description = `person must be one of ${PEOPLE.map(({ id }) => id).join(', ')}`
      return { status: 400, json: { error: 'invalid_request', error_description: description } }
    }
    const { AccessToken, Client, ResourceServer } = await provider()
    const client = await Client.find(PUBLIC_CLIENT_ID)
    const resource = RESOURCES[SIGNER_AUDIENCE]
    if (!client || !resource) throw new Error('the local provider has no client or resource')
    const token = new AccessToken({ accountId: person.id, client, scope: PERSON_SCOPES } as never)
    token.resourceServer = new ResourceServer(SIGNER_AUDIENCE, resource)
    return { status: 200, json: { access_token: await token.save(), expires_in: TOKEN_SECONDS, token_type: 'Bearer' } }
  }
}
