import { createPublicKey, type VerifyKeyObjectInput, verify } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:https'

/**
 * The least an HTTPS server can do: read the request, verify the token that may be in it, and answer as many bytes as it is
 * asked for.
 */
const { cert, key } = JSON.parse(process.env.BARE_SERVER ?? '{}') as { cert: string; key: string }
const keys = new Map<string, VerifyKeyObjectInput>()

function verifyToken({ headers }: IncomingMessage): Promise<boolean> {
  const der = headers['x-public-key']
  if (typeof der !== 'string') return Promise.resolve(true)
  let publicKey = keys.get(der)
  if (!publicKey) {
    const parsed = createPublicKey({ key: Buffer.from(der, 'base64'), format: 'der', type: 'spki' })
    publicKey = { key: parsed, ...(parsed.asymmetricKeyType === 'ec' && { dsaEncoding: 'ieee-p1363' }) }
    keys.set(der, publicKey)
  }
  const token = headers.authorization?.slice('Bearer '.length) ?? ''
  const end = token.lastIndexOf('.')
  const signature = Buffer.from(token.slice(end + 1), 'base64url')
  const usedKey = publicKey
  return new Promise((resolve, reject) => {
    verify('sha256', Buffer.from(token.slice(0, end)), usedKey, signature, (error, isGood) => {
      if (error) reject(error)
      else resolve(isGood)
    })
  })
}

const server = createServer({ cert, key, minVersion: 'TLSv1.2' }, (request, response) => {
  const body = 'x'.repeat(Number(request.headers['x-answer-bytes'] ?? 100))
  request.resume().on('end', () => {
    void verifyToken(request).then((isGood) => {
      response.writeHead(isGood ? 200 : 401, { 'content-type': 'application/json', 'content-length': body.length })
      response.end(body)
    })
  })
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ port: (server.address() as { port: number }).port })}\n`)
})
