/** The health check of the container: exits with 0 when the controller serves requests. */
import { request } from 'node:https'

const port = process.env.COUNTERSIGN_PORT ?? '1280'
// The connection stays on this machine: whether the certificate is trusted decides nothing here.
const options = {
  host: '127.0.0.1',
  port,
  path: '/health-checks/v1/readiness',
  rejectUnauthorized: false,
  timeout: 4_000,
}
const fail = () => process.exit(1)
request(options, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1))
  .on('error', fail)
  .on('timeout', fail)
  .end()
