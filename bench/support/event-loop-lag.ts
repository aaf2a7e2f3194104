import { get } from 'node:http'

const METRIC = 'countersign_nodejs_eventloop_lag_p99_seconds'

/** How late the server came to its work at the 99th percentile since this was last asked, by its own metrics. */
export async function readLagMs(metricsUrl: string): Promise<number> {
  const text = await readText(metricsUrl)
  const line = text.split('\n').find((one) => one.startsWith(`${METRIC} `))
  if (!line) throw new Error(`${METRIC} is not among the metrics`)
  return Number(line.slice(METRIC.length)) * 1000
}

function readText(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get(url, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')))
    }).once('error', reject)
  })
}
