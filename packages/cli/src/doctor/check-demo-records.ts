import { type ControllerClient, HostedClient, type Signer } from '@countersign/sdk'
import { isSdkError } from '../to-cli-error.ts'
import type { Finding } from './finding.ts'

const UNAUTHORIZED: readonly number[] = [401, 403]
/** The signer, the providers and the people that `up --dev` creates. */
const DEMO_AUDIENCE = 'urn:countersign:overlay'
const DEMO_PEOPLE = ['alice', 'bob', 'carol', 'dave'].map((name) => `externalId = "${name}@example.com"`).join(' or ')
const LOOPBACK_ISSUER = /^http:\/\/127\.0\.0\.1:\d+(?:\/|$)/

interface Options {
  readonly client: ControllerClient
  readonly url: string
  readonly session: string
  readonly fetch: typeof globalThis.fetch
}

/** Names the records that are left over from `--dev` on a controller that runs without it. The check fails while a signer of them is enabled. */
export async function checkDemoRecords({ client, url, session, fetch }: Options): Promise<Finding[]> {
  try {
    const left = await findLeftSigners(client)
    if (left.length === 0) return []
    const records = left.map(({ name }) => `signer ${name}`)
    for await (const { name } of client.identities.list({ filter: DEMO_PEOPLE })) records.push(`identity ${name}`)
    for await (const { name, issuer } of new HostedClient({ baseUrl: url, session, fetch }).providers.list()) {
      if (LOOPBACK_ISSUER.test(issuer)) records.push(`identity provider ${name}`)
    }
    const says = `left over from --dev: ${records.join(', ')}`
    const ok = left.every(({ enabled }) => !enabled)
    return [{ check: 'demo records', ok, says, hint: 'delete them: their provider asks for no password' }]
  } catch (error) {
    if (isSdkError(error) && UNAUTHORIZED.includes(error.status)) return []
    throw error
  }
}

/** With `--dev` the keys of the local provider are fetched; without it they are refused. */
async function findLeftSigners(client: ControllerClient): Promise<Pick<Signer, 'name' | 'enabled'>[]> {
  const left: Pick<Signer, 'name' | 'enabled'>[] = []
  for await (const { id, name, issuer, enabled } of client.signers.list({ filter: `audience = "${DEMO_AUDIENCE}"` })) {
    if (!LOOPBACK_ISSUER.test(issuer)) continue
    if (!enabled || (await client.signers.get(id)).keyStatus?.keys.length === 0) left.push({ name, enabled })
  }
  return left
}
