/** Sends unique garbage requests and measures the growth of the controller's memory. */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { mintKey, startJwksServer } from '@countersign/testkit'
import { buildRequest } from '../../bench/support/build-request.ts'
import { openConnection } from '../../bench/support/connection.ts'
import { memoryMibOf } from '../../bench/support/server-process.ts'
import { garbageRequest } from '../../packages/server/test/attack/garbage-requests.ts'
import { withSoakedController } from './support/soaked-controller.ts'

const CONNECTIONS = 64
/** Warm-up: code is compiled, and pools and bounded caches fill. */
const WARM_UP = 50_000
const MAX_GROWTH_MIB = 64
const SETTLE_MS = 5_000

/** `npm run soak -- garbage [--requests=1000000]`. Throws when the process has grown by more than 64 MiB since the warm-up. */
export async function run(flags: string[]): Promise<void> {
  const { values } = parseArgs({ args: flags, options: { requests: { type: 'string' } }, strict: false })
  const requests = Number(values.requests ?? 1_000_000)
  const jwks = await startJwksServer()
  const key = mintKey('RSA')
  jwks.publish(key)
  // Addresses come from a header. With the limit by signer most tokens would not be verified at all.
  const env = { COUNTERSIGN_HTTP_TRUSTED_PROXIES: '127.0.0.1', COUNTERSIGN_LIMITS_SIGNER_BURST: '0' }
  try {
    await withSoakedController(env, async ({ controller, target, create }) => {
      const signer = { issuer: 'https://soak.example', audience: 'soak', kid: key.kid }
      const enabled = { name: 'soak', enabled: true, useExternalId: true, enrollToTokenEnabled: true }
      await create('ext-jwt-signers', { ...enabled, ...signer, kid: null, jwksEndpoint: jwks.url() })
      const statuses = new Map<number, number>()
      let next = 0
      const sendUntil = async (end: number): Promise<void> => {
        const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => openConnection(target)))
        await Promise.all(
          connections.map(async (connection) => {
            while (next < end) {
              const { method, path, headers, body } = garbageRequest(next++, signer)
              const { status } = await connection.send(buildRequest(method, path, headers, body))
              statuses.set(status, (statuses.get(status) ?? 0) + 1)
            }
            connection.close()
          }),
        )
        await sleep(SETTLE_MS)
      }
      const memory = () => memoryMibOf(controller.pid)
      const report = (stage: string) => console.log(`${stage}: ${memory().toFixed(1)} MiB`)
      report('started')
      const warmUp = Math.min(WARM_UP, requests / 4)
      await sendUntil(warmUp)
      report(`after ${warmUp} requests`)
      const before = memory()
      for (let part = 1; part <= 10; part++) {
        await sendUntil(warmUp + (part * requests) / 10)
        report(`after ${next} requests`)
      }
      const growth = memory() - before
      console.log(`responses: ${[...statuses].map(([status, count]) => `${count} times ${status}`).join(', ')}`)
      console.log(`keys were fetched ${jwks.hits} times; grown by ${growth.toFixed(1)} MiB in ${requests} requests`)
      const accepted = [...statuses.keys()].filter((status) => status < 400 || status >= 500)
      if (accepted.length > 0) throw new Error(`garbage got the status ${accepted.join()}`)
      if (growth > MAX_GROWTH_MIB)
        throw new Error(`grown by ${growth.toFixed(1)} MiB, at most ${MAX_GROWTH_MIB} are allowed`)
    })
  } finally {
    await jwks.close()
  }
}
