import { createServer } from 'node:https'

/** The least an HTTPS server can do: read the request and answer as many bytes as it is asked for. */
const { cert, key } = JSON.parse(process.env.BARE_SERVER ?? '{}') as { cert: string; key: string }

const server = createServer({ cert, key, minVersion: 'TLSv1.2' }, (request, response) => {
  const body = Buffer.alloc(Number(request.headers['x-answer-bytes'] ?? 100), 'x')
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body)
  })
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ port: (server.address() as { port: number }).port })}\n`)
})
