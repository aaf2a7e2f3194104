import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Column } from './report/result.ts'
import type { BenchPart, BenchRun } from './support/bench-run.ts'
import { createBenchSigner } from './support/bench-signer.ts'
import { benchIdentity } from './support/fill-database.ts'
import { runLoad } from './support/load.ts'
import { jwtLoginRequest } from './support/login-operations.ts'
import { MANAGEMENT, NO_LIMITS, type Product, withInstallation } from './support/product.ts'
import { roundRobin } from './support/round-robin.ts'
import { childrenCpuMsOf, cpuMsOf } from './support/server-process.ts'
import { stopAndFill } from './support/stop-and-fill.ts'

const IDENTITIES = 500
const CONNECTIONS = 64
const LOGINS_PER_SECOND = 1_000
const ROUNDS = 15
/** What sinks may add to a login in the process that serves it. */
const MAX_ADDED_CPU_MS = 0.05
const DRAIN_POLL_MS = 100

const COLUMNS: readonly Column[] = [
  { key: 'cpuMs', title: 'CPU ms', digits: 3 },
  { key: 'addedMs', title: 'added ms', digits: 3 },
  { key: 'senderMs', title: 'sending ms', digits: 3 },
]

/** Logins without event sinks, and with sinks of each kind. The CPU time lasts until all events are delivered; the process that sends them has a column of its own. */
export const events: BenchPart = async (run) => {
  for (const name of run.options.databases) await measure(run, name)
}

type DatabaseName = BenchRun['options']['databases'][number]

async function measure(run: BenchRun, name: DatabaseName): Promise<void> {
  const receiver = await startReceiver()
  const settings = {
    ...NO_LIMITS,
    COUNTERSIGN_JWKS_ALLOW_LOOPBACK: 'true',
    COUNTERSIGN_JWKS_ALLOW_HTTP: '127.0.0.1',
    COUNTERSIGN_JWKS_ALLOWED_PORTS: `443,${receiver.port}`,
  }
  const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
  const file = { name: 'file', kind: 'file' }
  const otlp = { name: 'otlp', kind: 'otlp', url: receiver.url }
  const webhook = { name: 'webhook', kind: 'webhook', url: receiver.url, secret }
  const cases: Readonly<Record<string, readonly object[]>> = {
    'no sinks': [],
    // Receives no login: only recording is measured.
    'a sink of other events': [{ name: 'idle', kind: 'file', filter: { types: ['signerHealth'] } }],
    'file and OTLP': [file, otlp],
    webhook: [webhook],
    'file, OTLP and webhook': [file, otlp, webhook],
  }
  await withInstallation(
    name,
    async (installation) => {
      const first = await installation.start()
      const signer = await createBenchSigner(first, 'rs256')
      await stopAndFill(first, installation, IDENTITIES)
      const product = await installation.start()
      const tokens = Array.from({ length: IDENTITIES }, (_, at) => signer.mint(benchIdentity(at).externalId, at))
      const request = roundRobin(tokens.map(jwtLoginRequest))
      const maxRequests = Math.max(IDENTITIES, Math.round(run.options.seconds * LOGINS_PER_SECOND))
      const load = { ...product, connections: CONNECTIONS, seconds: 60, expectStatus: 200, request, maxRequests }
      // The first logins of a process cost more.
      await runLoad(load)
      await runLoad(load)
      const measured = new Map<string, number[]>()
      const sending = new Map<string, number[]>()
      for (let round = 1; round <= ROUNDS; round++) {
        run.progress(`logins, round ${round} of ${ROUNDS}`)
        // The cases alternate, because the load of others on the host changes.
        for (const [title, sinks] of Object.entries(cases)) {
          const ids = await addSinks(product, sinks)
          let before = 0
          let sentBefore = 0
          const onOpen = (): void => {
            before = cpuMsOf(product.pid)
            sentBefore = childrenCpuMsOf(product.pid)
          }
          const { requests } = await runLoad({ ...load, onOpen })
          await drain(product)
          const cpuMs = (cpuMsOf(product.pid) - before) / requests
          const sentMs = (childrenCpuMsOf(product.pid) - sentBefore) / requests
          measured.set(title, [...(measured.get(title) ?? []), cpuMs])
          sending.set(title, [...(sending.get(title) ?? []), sentMs])
          for (const id of ids) await product.call('DELETE', `${MANAGEMENT}/event-sinks/${id}`)
        }
      }
      const off = least(measured.get('no sinks'))
      run.report({
        title: `Event sinks (${installation.database.name})`,
        text: `CPU of the controller for a login, until its events are delivered: the round with the least of ${ROUNDS}. Sinks may add ${MAX_ADDED_CPU_MS} ms. Sending is done by another process. ${receiver.count()} messages were received.`,
        columns: COLUMNS,
        rows: [...measured].map(([title, values]) => ({
          name: `login, ${title}`,
          measures: {
            cpuMs: { value: least(values) },
            addedMs: {
              value: least(values) - off,
              ...(title !== 'no sinks' && { target: { atMost: MAX_ADDED_CPU_MS } }),
            },
            senderMs: { value: least(sending.get(title)) },
          },
        })),
      })
      await product.stop()
    },
    { settings },
  )
  receiver.close()
}

/** Other load on the host can only add to what a round costs. */
function least(values: readonly number[] = []): number {
  return Math.min(...values)
}

async function addSinks({ call }: Product, sinks: readonly object[]): Promise<string[]> {
  const ids: string[] = []
  for (const sink of sinks) {
    const { data } = await call('POST', `${MANAGEMENT}/event-sinks`, sink)
    ids.push((data as unknown as { id: string }).id)
  }
  return ids
}

/** Waits until every sink has received all events. */
async function drain({ call }: Product): Promise<void> {
  for (;;) {
    await sleep(DRAIN_POLL_MS)
    const { data } = await call('GET', `${MANAGEMENT}/event-sinks`)
    const sinks = data as unknown as readonly { readonly behind: number }[]
    if (sinks.every(({ behind }) => behind === 0)) return
  }
}

async function startReceiver() {
  let received = 0
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => {
      received++
      response.writeHead(204).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { port, url: `http://127.0.0.1:${port}/in`, count: () => received, close }
}
