import type { IncomingMessage, ServerResponse } from 'node:http'
import type Provider from 'oidc-provider'
import { findPerson } from './people.ts'
import { readForm, send } from './provider-http.ts'
import { loginPage, providerPage } from './provider-page.ts'

/** One step of a person's sign-in: shows who can be chosen, or goes on as the one who was. */
export async function answerInteraction(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const details = await provider.interactionDetails(request, response).catch(() => undefined)
  if (!details) {
    const body = '<p>The sign-in is over, or it began in another browser. Begin again.</p>'
    return send(response, providerPage({ title: 'Begin again', body, status: 400 }))
  }
  const { params } = details
  if (request.method !== 'POST') {
    const client = await provider.Client.find(String(params.client_id))
    return send(response, loginPage(client?.clientName ?? String(params.client_id), params.redirect_uri))
  }
  const form = await readForm(request, { json: false })
  const person = 'members' in form ? findPerson(form.members.get('person')) : undefined
  if (!person) {
    const body = '<p>Nobody of that name is known here.</p>'
    return send(response, providerPage({ title: 'That did not work', body, status: 400 }))
  }
  await forgetLastPerson(provider, details)
  await provider.interactionFinished(request, response, {
    login: { accountId: person.id, amr: ['pwd'], remember: false },
    consent: {},
  })
}

/** Before somebody else goes on in the same browser the last one has to be signed out, for which `oidc-provider` has a page and we have none. */
async function forgetLastPerson(
  provider: Provider,
  details: Awaited<ReturnType<Provider['interactionDetails']>>,
): Promise<void> {
  if (!details.session) return
  const session = await provider.Session.find(details.session.cookie)
  await session?.destroy()
  delete details.session
  await details.save(details.exp - Math.floor(Date.now() / 1000))
}
