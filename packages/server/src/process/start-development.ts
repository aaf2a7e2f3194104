import { join } from 'node:path'
import { AccountClients } from '../hosted/account-clients.ts'
import { ApiAccounts } from '../hosted/api-accounts.ts'
import { createClientRegistration } from '../outbound/client-registration.ts'
import { createFetchDocument } from '../outbound/fetch-document.ts'
import { systemClock } from '../platform/clock.ts'
import type { Sealing } from '../platform/keys/sealing.ts'
import { SETTINGS, type Settings } from '../platform/settings/settings.ts'
import type { Store } from '../store/store.ts'
import { baseUrlOf, type NodeOptions } from './start-node.ts'

/** What a controller with `--dev` has beside itself. */
export interface Development {
  readonly identityProviderUrl: string
  /** Makes the data that demos need. Never fails: the controller is as good without it, and its first password must be shown. */
  makeDemoData(parts: { readonly store: Store; readonly sealing: Sealing; readonly port: number }): Promise<void>
}

const USUAL_PROVIDER_PORT = 1282

/** Starts the local identity provider if the settings want development; throws `StartupError` when it cannot. */
export async function startDevelopment(
  options: Pick<NodeOptions, 'settings' | 'dataDir' | 'log' | 'undo'>,
): Promise<Development | undefined> {
  const { settings, dataDir, log, undo } = options
  if (!settings.dev) return undefined
  const { ensureDemoData, startLocalProvider } = await import('../dev/index.ts')
  const provider = await startLocalProvider({
    stateFile: join(dataDir.keysDir, 'local-provider.json'),
    port: settings.identityProvider.port,
    usualPort: settings.port === SETTINGS.port.default ? USUAL_PROVIDER_PORT : 0,
    log,
  })
  undo.push(() => provider.close())
  return {
    identityProviderUrl: provider.addresses.base,
    makeDemoData: async ({ store, sealing, port }) => {
      const clock = systemClock
      const registration = createClientRegistration(createFetchDocument({ settings }))
      const accountClients = new AccountClients({ registration, sealing, store, clock, log })
      const apiAccounts = new ApiAccounts({ store, accountClients })
      const hostedAudiences = hostedAudiencesOf(settings, port)
      const parts = { provider, store, clock, sealing, apiAccounts, dataDir: dataDir.path, hostedAudiences }
      await ensureDemoData(parts).catch((error: unknown) =>
        log.error({ err: error }, 'the demo data could not be made'),
      )
    },
  }
}

/** The addresses of the hosted API with a slash, as it calls itself first; clients write them with the port of https or without. */
function hostedAudiencesOf(settings: Settings, port: number): [string, ...string[]] {
  const base = baseUrlOf(settings, port)
  const urls = [...settings.advertise.map((address) => `https://${address}`), base]
  const [first = base, ...others] = new Set(urls.flatMap((url) => [`${new URL(url).origin}/`, `${url}/`]))
  return [first, ...others]
}
