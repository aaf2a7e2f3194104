import { guessProviderProduct } from '@countersign/contract'
import { newId } from '@countersign/core'
import { type ClientRegistration, isRemovedByInitialToken } from '../client-registration.ts'
import { OutboundError } from '../outbound-error.ts'
import { failed, passed } from './checks.ts'
import {
  type AdministeredClient,
  type AdministeredProvider,
  type AdministrationCheck,
  clientNameOf,
  type ProviderAdministration,
} from './provider-administration.ts'

const NAME = 'register a client and remove it'

/** Dynamic client registration (RFC 7591 and 7592). Clients cannot be listed, so one whose response was lost cannot be found. */
export function createRegistrationAdministration(registration: ClientRegistration): ProviderAdministration {
  const create: ProviderAdministration['create'] = async (provider, name) => {
    const { organizationId, administration, requiredScope, secret, signal } = provider
    const { clientId, clientSecret, registrationUri, registrationToken } = await registration.register(
      organizationId,
      administration.registrationUrl ?? '',
      { name: clientNameOf(name), initialToken: secret, scope: requiredScope ?? undefined },
      signal,
    )
    return { clientId, clientSecret, handle: registrationUri, token: registrationToken }
  }
  const remove = (
    { organizationId, administration, secret, signal }: AdministeredProvider,
    { handle, token }: AdministeredClient,
  ) => {
    const usesInitialToken = isRemovedByInitialToken(administration.registrationUrl ?? '', handle)
    const registrationToken = token ?? (usesInitialToken && secret !== undefined ? secret : null)
    return registration.remove(organizationId, { registrationUri: handle, registrationToken }, signal)
  }

  return {
    create,
    remove,
    // Nothing else shows whether the token is accepted.
    test: async (provider) => {
      try {
        const client = await create(provider, { name: TEST_NAME, marker: newId() })
        if (client.handle === null) return [failed(NAME, CANNOT_REMOVE)]
        return [await removeTested(() => remove(provider, client))]
      } catch (error) {
        if (!(error instanceof OutboundError)) throw error
        const isForbidden = error.status === 401 || error.status === 403
        const hint = isForbidden ? `${refusedToken(provider.administration.registrationUrl ?? '')}: ` : ''
        return [failed(NAME, `${hint}${error.tenantMessage}`)]
      }
    },
  }
}

const TEST_NAME = 'Countersign test'
const CANNOT_REMOVE = `a client was registered, but the provider offers no way to remove it (RFC 7592): remove the client "${TEST_NAME}" there`

async function removeTested(remove: () => Promise<void>): Promise<AdministrationCheck> {
  try {
    await remove()
    return passed(NAME)
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    const reason = `a client was registered and could not be removed: remove the client "${TEST_NAME}" there`
    return failed(NAME, `${reason} (${error.tenantMessage})`)
  }
}

function refusedToken(registrationUrl: string): string {
  return guessProviderProduct(registrationUrl) === 'okta'
    ? 'registrationToken is refused, or its administrator may not manage applications'
    : 'registrationToken is missing or refused'
}
