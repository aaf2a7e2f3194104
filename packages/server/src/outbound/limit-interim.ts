import type { ClientRequest } from 'node:http'
import { OutboundError } from './outbound-error.ts'

/** Responses with a status 1xx before the one that counts. A server could send them until the time limit, and keep the controller busy with them. */
const MAX_INTERIM = 8

/** Ends a request whose server sends interim responses without end. */
export function limitInterim(sent: ClientRequest, host: string): ClientRequest {
  let interim = 0
  return sent.on('information', () => {
    interim++
    if (interim > MAX_INTERIM) sent.destroy(new OutboundError('protocol', `${host} sent too many interim responses`))
  })
}
