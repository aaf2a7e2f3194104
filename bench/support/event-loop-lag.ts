import { get } from 'node:http'

const METRIC = 'countersign_nodejs_eventloop_lag_p99_seconds'

/** Reads the 99th percentile of the server's event loop lag since the last read, from its metrics. */
export async function readEventLoopLagMs(metricsUrl: string): Promise<number> {
  const text = await readText(metricsUrl)
  const line = text.split('\n').find((one) => one.startsWith(`${METRIC} `))
  if (!line) throw new Error(`${METRIC} is not among the metrics`)
  return Number(line.slice(METRIC.length)) * 1000
}

function readText(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get(url, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')))
    }).once('error', reject)
  })
}
