import type { IncomingMessage, ServerResponse } from 'node:http'
import type Provider from 'oidc-provider'
import { findPerson } from './people.ts'
import { readForm, send } from './provider-http.ts'
import { loginPage, providerPage } from './provider-page.ts'

/** Handles one step of a login: shows the list of people, or continues as the chosen person. */
export async function handleInteraction(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const details = await provider.interactionDetails(request, response).catch(() => undefined)
  if (!details) {
    const body = '<p>This login has expired, or it was started in another browser. Start again.</p>'
    return send(response, providerPage({ title: 'Start again', body, status: 400 }))
  }
  const { params } = details
  if (request.method !== 'POST') {
    const client = await provider.Client.find(String(params.client_id))
    return send(response, loginPage(client?.clientName ?? String(params.client_id), params.redirect_uri))
  }
  const form = await readForm(request, { json: false })
  const person = 'members' in form ? findPerson(form.members.get('person')) : undefined
  if (!person) {
    const body = '<p>There is no person with this name.</p>'
    return send(response, providerPage({ title: 'Login failed', body, status: 400 }))
  }
  await endPreviousSession(provider, details)
  await provider.interactionFinished(request, response, {
    login: { accountId: person.id, amr: ['pwd'], remember: false },
    consent: {},
  })
}

/** Ends the session of the previous person in this browser. `oidc-provider` would show a logout page for it, which is not implemented here. */
async function endPreviousSession(
  provider: Provider,
  details: Awaited<ReturnType<Provider['interactionDetails']>>,
): Promise<void> {
  if (!details.session) return
  const session = await provider.Session.find(details.session.cookie)
  await session?.destroy()
  delete details.session
  await details.save(details.exp - Math.floor(Date.now() / 1000))
}
