import { OutboundError } from '../outbound-error.ts'
import type { ProviderAdministration } from './provider-administration.ts'

/** Clients are created by hand, and proven by a token when an account is created. */
export const manualAdministration: ProviderAdministration = {
  create: () => Promise.reject(new OutboundError('content', 'clients of this provider are created by hand')),
  remove: async () => {},
  test: async () => [],
}
