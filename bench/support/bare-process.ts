import { fileURLToPath } from 'node:url'
import { makeTestCertificate } from '@countersign/testkit'
import type { MeasuredServer } from './measured-server.ts'
import { startServerProcess } from './server-process.ts'

const BARE_SERVER = fileURLToPath(new URL('./bare-server.ts', import.meta.url))

export interface BareServer extends MeasuredServer {
  readonly startSeconds: number
  stop(): Promise<void>
}

/** Starts the bare server with a certificate of the product's kind. */
export async function startBareServer(): Promise<BareServer> {
  const certificate = makeTestCertificate({ kind: 'ec256', commonName: 'localhost' })
  const key = certificate.privateKey.export({ type: 'pkcs8', format: 'pem' })
  const server = await startServerProcess<{ port: number }>([BARE_SERVER], {
    BARE_SERVER: JSON.stringify({ cert: certificate.pem, key }),
  })
  const { ready, pid, startSeconds, stop } = server
  return { port: ready.port, ca: certificate.pem, pid, startSeconds, stop }
}
