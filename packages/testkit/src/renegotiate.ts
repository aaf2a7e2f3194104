import { once } from 'node:events'
import { connect } from 'node:tls'

/** Asks a server to renegotiate TLS 1.2. Returns the code of the error that refuses it. */
export async function renegotiate(port: number, host = '127.0.0.1'): Promise<string | undefined> {
  const socket = connect({ port, host, maxVersion: 'TLSv1.2', rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  const error = await new Promise<NodeJS.ErrnoException | null>((resolve) => {
    socket.once('error', resolve)
    socket.renegotiate({}, resolve)
  })
  socket.destroy()
  return error?.code
}
