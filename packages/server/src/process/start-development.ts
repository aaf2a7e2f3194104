import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AccountClients } from '../hosted/account-clients.ts'
import { AccountJobs } from '../hosted/account-jobs.ts'
import { ApiAccounts } from '../hosted/api-accounts.ts'
import { createAdministrations } from '../outbound/administration/administrations.ts'
import { createClientRegistration } from '../outbound/client-registration.ts'
import { createFetchDocument } from '../outbound/fetch-document.ts'
import { systemClock } from '../platform/clock.ts'
import { KEY_FILES } from '../platform/keys/key-directory.ts'
import type { Sealing } from '../platform/keys/sealing.ts'
import { SETTINGS, type Settings } from '../platform/settings/settings.ts'
import type { Store } from '../store/store.ts'
import { createDelivery } from './deliver-messages.ts'
import { markDevelopment } from './leave-development.ts'
import { createScimSender } from './send-scim.ts'
import { baseUrlOf, type NodeOptions } from './start-node.ts'

/** What `--dev` adds to a controller. */
export interface Development {
  readonly identityProviderUrl: string
  /** Creates the demo data. Never rejects: the controller works without it, and its first password must still be shown. */
  createDemoData(parts: { readonly store: Store; readonly sealing: Sealing; readonly port: number }): Promise<void>
}

const DEFAULT_PROVIDER_PORT = 1282

/** Starts the local identity provider if the setting `dev` is on. Throws `StartupError` on failure. */
export async function startDevelopment(
  options: Pick<NodeOptions, 'settings' | 'dataDir' | 'log' | 'undo'>,
): Promise<Development | undefined> {
  const { settings, dataDir, log, undo } = options
  if (!settings.dev) return undefined
  const { ensureDemoData, registerLocally, startLocalProvider } = await import('../dev/index.ts')
  const provider = await startLocalProvider({
    stateFile: join(dataDir.keysDir, 'local-provider.json'),
    port: settings.identityProvider.port,
    defaultPort: settings.port === SETTINGS.port.default ? DEFAULT_PROVIDER_PORT : 0,
    log,
  })
  undo.push(() => provider.close())
  return {
    identityProviderUrl: provider.addresses.base,
    createDemoData: async ({ store, sealing, port }) => {
      const clock = systemClock
      await markDevelopment(store, 'on')
      const fetchDocument = createFetchDocument({ settings })
      const registration = registerLocally(provider, createClientRegistration(fetchDocument))
      const administrations = createAdministrations({ fetchDocument, clock, registration })
      const accountClients = new AccountClients({ administrations, sealing, store, clock, log })
      const accountJobs = new AccountJobs({ store, clock, log, accountClients })
      const apiAccounts = new ApiAccounts({ store, accountClients, accountJobs })
      const hostedAudiences = hostedAudiencesOf(settings, port)
      const parts = { provider, store, clock, sealing, apiAccounts, dataDir: dataDir.path, hostedAudiences }
      const readCa = () => readFile(join(dataDir.keysDir, KEY_FILES.ca), 'utf8')
      const controllerUrl = baseUrlOf(settings, port)
      const { issuer } = provider.addresses.enterprise
      const delivery = { store, fetchDocument, issuer, controllerUrl, readCa }
      provider.deliverBy(createDelivery(delivery))
      provider.provisionBy(createScimSender(delivery))
      await ensureDemoData(parts).catch((error: unknown) =>
        log.error({ err: error }, 'the demo data could not be created'),
      )
    },
  }
}

/** Base URLs of the hosted API with a trailing slash, the advertised one first; each with and without the default https port. */
function hostedAudiencesOf(settings: Settings, port: number): [string, ...string[]] {
  const base = baseUrlOf(settings, port)
  const urls = [...settings.advertise.map((address) => `https://${address}`), base]
  const [first = base, ...others] = new Set(urls.flatMap((url) => [`${new URL(url).origin}/`, `${url}/`]))
  return [first, ...others]
}
