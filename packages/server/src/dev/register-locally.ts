import type { ClientRegistration } from '../outbound/client-registration.ts'
import type { LocalProvider } from './local-provider.ts'

/** Registers at the local provider without a request; `remote` does the rest. */
export function registerLocally(provider: LocalProvider, remote: ClientRegistration): ClientRegistration {
  return { ...remote, register: (_organizationId, _registrationUrl, { name }) => provider.registerMachine(name) }
}
