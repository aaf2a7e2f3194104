import { createPublicKey, type VerifyKeyObjectInput, verify } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:https'
import type { BareSigner } from './bench-signer.ts'

/** A minimal HTTPS server: reads the request, verifies its token if it has one, and returns `x-response-bytes` bytes. */
const { cert, key } = JSON.parse(process.env.BARE_SERVER ?? '{}') as { cert: string; key: string }

interface Signer extends Omit<BareSigner, 'publicKey'> {
  readonly alg: string
  readonly key: VerifyKeyObjectInput
}

const signers = new Map<string, Signer>()

/** Parses the `x-signer` header, once per value. */
function getSigner(header: string): Signer {
  const known = signers.get(header)
  if (known) return known
  const { issuer, audience, publicKey } = JSON.parse(header) as BareSigner
  const parsed = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' })
  const signer: Signer =
    parsed.asymmetricKeyType === 'ec'
      ? { issuer, audience, alg: 'ES256', key: { key: parsed, dsaEncoding: 'ieee-p1363' } }
      : { issuer, audience, alg: 'RS256', key: { key: parsed } }
  signers.set(header, signer)
  return signer
}

/** Checks algorithm, issuer, audience, expiry and signature. Resolves to true for a request without `x-signer`. */
function verifyToken({ headers }: IncomingMessage): Promise<boolean> {
  const { 'x-signer': signerHeader } = headers
  if (typeof signerHeader !== 'string') return Promise.resolve(true)
  const signer = getSigner(signerHeader)
  const token = headers.authorization?.slice('Bearer '.length) ?? ''
  const [header = '', payload = '', signature = ''] = token.split('.')
  const { alg } = readPart(header)
  const { iss, aud, exp } = readPart(payload)
  const isExpected = alg === signer.alg && iss === signer.issuer && aud === signer.audience
  if (!isExpected || !(Number(exp) * 1000 > Date.now())) return Promise.resolve(false)
  const signed = Buffer.from(token.slice(0, header.length + 1 + payload.length))
  return new Promise((resolve, reject) => {
    verify('sha256', signed, signer.key, Buffer.from(signature, 'base64url'), (error, isValid) => {
      if (error) reject(error)
      else resolve(isValid)
    })
  })
}

function readPart(part: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(part, 'base64url').toString())
}

const server = createServer({ cert, key, minVersion: 'TLSv1.2' }, (request, response) => {
  const body = 'x'.repeat(Number(request.headers['x-response-bytes'] ?? 100))
  request.resume().on('end', () => {
    void verifyToken(request).then((isValid) => {
      response.writeHead(isValid ? 200 : 401, { 'content-type': 'application/json', 'content-length': body.length })
      response.end(body)
    })
  })
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ port: (server.address() as { port: number }).port })}\n`)
})
