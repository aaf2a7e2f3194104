import type { Logger } from 'pino'
import type { Settings } from '../platform/settings/index.ts'
import { listIdentitiesWithoutUsablePasskey } from '../store/reads/passkey-reads.ts'
import type { Store } from '../store/store.ts'

const MAX_NAMED = 5

interface PasskeyDomains {
  readonly settings: Pick<Settings, 'advertise' | 'passkeys'>
  /** The names of the server certificate. */
  readonly certificateNames: readonly string[]
}

/**
 * Warns when a policy requires passkeys of identities that have only passkeys of another domain: `passkeys.domain` or the host name was changed, and they
 * cannot log in. Nothing falls back to the password alone: a stolen password would suffice then.
 */
export async function warnOfPasskeyDomains(
  { db }: Pick<Store, 'db'>,
  { settings, certificateNames }: PasskeyDomains,
  log: Pick<Logger, 'warn'>,
): Promise<void> {
  const { domain } = settings.passkeys
  const hosts = settings.advertise.map((address) => URL.parse(`https://${address}`)?.hostname ?? address)
  const usable = domain === null ? ['localhost', ...hosts, ...certificateNames] : [domain]
  const identities = await listIdentitiesWithoutUsablePasskey(db, usable, MAX_NAMED)
  if (identities.length === 0) return
  log.warn(
    { identities, domain },
    'identities whose policy requires a passkey have only passkeys of another domain, and cannot log in: change passkeys.domain or advertise back, or remove those passkeys, so that they add new ones (docs/passkeys.md)',
  )
}
