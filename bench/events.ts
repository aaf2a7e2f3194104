import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Row } from './report/result.ts'
import type { BenchPart, BenchRun } from './support/bench-run.ts'
import { createBenchSigner } from './support/bench-signer.ts'
import { benchIdentity, fillIdentities } from './support/fill-database.ts'
import { jwtLoginRequest } from './support/login-operations.ts'
import { measureOperations, OPERATION_COLUMNS } from './support/measure-operations.ts'
import { MANAGEMENT, NO_LIMITS, withInstallation } from './support/product.ts'
import { roundRobin } from './support/round-robin.ts'

const IDENTITIES = 500
/** What recording the events of a login may cost, and delivering them besides. */
const MAX_ADDED_CPU_MS = 0.05

/** Logins without event sinks, and with one of each kind. */
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
  await withInstallation(
    name,
    async (installation, bare) => {
      const first = await installation.start()
      const signer = await createBenchSigner(first, 'rs256')
      const template = { name: 'template', type: 'Default', isAdmin: false }
      const { data } = await first.call('POST', `${MANAGEMENT}/identities`, template)
      await first.stop()
      const templateId = (data as unknown as { id: string }).id
      await fillIdentities(installation.database, templateId, { from: 0, to: IDENTITIES })
      const product = await installation.start()
      const token = signer.mint(benchIdentity(0).externalId, 0)
      const tokens = Array.from({ length: IDENTITIES }, (_, at) => signer.mint(benchIdentity(at).externalId, at))
      const logins = async (operation: string): Promise<Row> => {
        const common = { expectStatus: 200, connections: 64, bare: { headers: signer.bareHeaders(token) }, targets: {} }
        const request = roundRobin(tokens.map(jwtLoginRequest))
        const [row] = await measureOperations({ product, bare }, [{ operation, ...common, request }], run)
        if (!row) throw new TypeError('nothing was measured')
        return row
      }
      const ids: string[] = []
      const addSink = async (body: object) => {
        const { data: created } = await product.call('POST', `${MANAGEMENT}/event-sinks`, body)
        ids.push((created as unknown as { id: string }).id)
      }
      // The first load of a process costs more: it is measured again at the end.
      await logins('warm-up')
      const rows = [await logins('login, no sinks')]
      // Receives no login: only recording is measured.
      await addSink({ name: 'idle', kind: 'file', filter: { types: ['signerHealth'] } })
      rows.push(await logins('login, events recorded'))
      await addSink({ name: 'file', kind: 'file' })
      await addSink({ name: 'otlp', kind: 'otlp', url: receiver.url })
      rows.push(await logins('login, recorded, file and OTLP'))
      const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
      await addSink({ name: 'webhook', kind: 'webhook', url: receiver.url, secret })
      rows.push(await logins('login, recorded, file, OTLP and webhook'))
      for (const id of ids) await product.call('DELETE', `${MANAGEMENT}/event-sinks/${id}`)
      rows.push(await logins('login, sinks deleted'))
      run.report({
        title: `Event sinks (${installation.database.name})`,
        text: `CPU of the controller for a login, delivery included; at most ${MAX_ADDED_CPU_MS} ms more than without sinks. ${receiver.count()} messages were received.`,
        columns: OPERATION_COLUMNS,
        rows,
      })
      await product.stop()
    },
    { settings },
  )
  receiver.close()
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
