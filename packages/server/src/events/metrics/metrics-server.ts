import { type AddressInfo, isIPv6 } from 'node:net'
import { collectDefaultMetrics, type Registry } from 'prom-client'
import { createServer } from '../../platform/node-http.ts'
import type { Settings } from '../../platform/settings/index.ts'
import { StartupError } from '../../platform/startup-error.ts'

const METRIC_PREFIX = 'countersign_'

export interface MetricsServer {
  readonly url: string
  close(): Promise<void>
}

/** Where the listener is: by default reachable from this machine only. */
type MetricsAddress = Settings['metrics']

/** Serves metrics for Prometheus on a separate listener, without credentials. */
export async function startMetricsServer(address: MetricsAddress, registry: Registry): Promise<MetricsServer> {
  measureProcess(registry)
  const server = await serveMetrics(address, async () => registry)
  return {
    url: server.url,
    close: () => {
      registry.clear()
      return server.close()
    },
  }
}

/** Collects CPU, memory, event loop and garbage collection of this process. */
export function measureProcess(registry: Registry): void {
  collectDefaultMetrics({ register: registry, prefix: METRIC_PREFIX })
}

/** Serves the metrics that `gather` returns for each request. */
export async function serveMetrics(
  { host, port }: MetricsAddress,
  gather: () => Promise<Registry>,
): Promise<MetricsServer> {
  const server = createServer((request, response) => {
    if (request.method !== 'GET' || request.url?.split('?', 1)[0] !== '/metrics') {
      response.writeHead(404).end()
      return
    }
    const respond = async (): Promise<void> => {
      const registry = await gather()
      const text = await registry.metrics()
      response.writeHead(200, { 'content-type': registry.contentType }).end(text)
    }
    respond().catch(() => void response.writeHead(500).end())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') return reject(error)
      const hint = 'choose another with the setting metrics.port'
      reject(
        new StartupError(`cannot listen on ${host} port ${port} for metrics: the port is taken`, hint, {
          cause: error,
        }),
      )
    })
    server.listen(port, host, resolve)
  })
  server.unref()
  const { port: actual } = server.address() as AddressInfo
  return {
    url: `http://${isIPv6(host) ? `[${host}]` : host}:${actual}/metrics`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
