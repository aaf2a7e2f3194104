import type { IncomingMessage } from 'node:http'
import type Provider from 'oidc-provider'
import { findPerson, PEOPLE } from './people.ts'
import { PUBLIC_CLIENT_ID, SIGNER_AUDIENCE, TOKEN_SECONDS } from './provider-addresses.ts'
import { type ProviderResponse, readForm } from './provider-http.ts'
import { PERSON_SCOPES, RESOURCES } from './resources.ts'

const THUMBPRINT = /^[\w-]{43}$/

/**
 * Issues the token that a person would get from a browser login, for scripts. It grants nothing that the login page does not, which requires
 * no password. With `dpop_jkt` it is bound to the key of this thumbprint, as a login with DPoP binds it (RFC 9449).
 */
export function createPersonToken(provider: () => Promise<Provider>) {
  return async (request: IncomingMessage): Promise<ProviderResponse> => {
    const form = await readForm(request, { json: true })
    const person = 'members' in form ? findPerson(form.members.get('person')) : undefined
    if (!person) {
      const description = `person must be one of ${PEOPLE.map(({ id }) => id).join(', ')}`
      return invalidRequest(description)
    }
    const jkt = 'members' in form ? form.members.get('dpop_jkt') : undefined
    if (jkt && !THUMBPRINT.test(jkt))
      return invalidRequest('dpop_jkt must be the SHA-256 thumbprint of a key (RFC 7638)')
    const { AccessToken, Client, ResourceServer } = await provider()
    const client = await Client.find(PUBLIC_CLIENT_ID)
    const resource = RESOURCES[SIGNER_AUDIENCE]
    if (!client || !resource) throw new Error('the local provider has no client or resource')
    const token = new AccessToken({ accountId: person.id, client, scope: PERSON_SCOPES } as never)
    if (jkt) token.setThumbprint('jkt', jkt)
    token.resourceServer = new ResourceServer(SIGNER_AUDIENCE, resource)
    const tokenType = jkt ? 'DPoP' : 'Bearer'
    return { status: 200, json: { access_token: await token.save(), expires_in: TOKEN_SECONDS, token_type: tokenType } }
  }
}

const invalidRequest = (description: string): ProviderResponse => ({
  status: 400,
  json: { error: 'invalid_request', error_description: description },
})
