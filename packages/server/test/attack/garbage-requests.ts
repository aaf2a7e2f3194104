import { randomBytes } from 'node:crypto'

const CLIENT = '/edge/client/v1'
const SIGN_IN = `${CLIENT}/authenticate?method=ext-jwt`

export interface GarbageSigner {
  readonly issuer: string
  readonly audience: string
  readonly kid: string
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

function token(header: object, claims: object): string {
  return `${encode({ alg: 'RS256', ...header })}.${encode(claims)}.${randomBytes(256).toString('base64url')}`
}

export interface GarbageRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

type Garbage = (nth: number, signer: GarbageSigner) => Omit<GarbageRequest, 'method'>

const bearer = (text: string) => ({ authorization: `Bearer ${text}` })
const claims = (nth: number, { issuer: iss, audience: aud }: GarbageSigner) => {
  return { iss, aud, sub: `nobody-${nth}`, jti: String(nth), exp: 4_102_444_800 }
}

/** What strangers can send in any number without it ever being the same. */
const KINDS: readonly Garbage[] = [
  (nth) => ({ path: SIGN_IN, headers: bearer(`garbage-${nth}`) }),
  (nth, { audience }) => {
    const foreign = { issuer: `https://${nth}.example`, audience, kid: '' }
    return { path: SIGN_IN, headers: bearer(token({ kid: `kid-${nth}` }, claims(nth, foreign))) }
  },
  (nth, signer) => ({ path: SIGN_IN, headers: bearer(token({ kid: `kid-${nth}` }, claims(nth, signer))) }),
  (nth, signer) => ({ path: SIGN_IN, headers: bearer(token({ kid: signer.kid }, claims(nth, signer))) }),
  (nth, signer) => ({
    path: `${CLIENT}/enroll/token`,
    headers: bearer(token({ kid: signer.kid, nth }, claims(nth, signer))),
    body: '{}',
  }),
  (nth) => ({ path: `${CLIENT}/current-api-session`, headers: { 'zt-session': `${nth}-`.padEnd(43, 'x') } }),
]

/** The n-th request, with a token, a kid, an issuer and a client address of its own. */
export function garbageRequest(nth: number, signer: GarbageSigner): GarbageRequest {
  const garbage = (KINDS[nth % KINDS.length] as Garbage)(nth, signer)
  const method = garbage.path.endsWith('session') ? 'GET' : 'POST'
  const from = { 'x-forwarded-for': addressOf(nth), 'user-agent': `agent-${nth}` }
  return { ...garbage, method, headers: { ...garbage.headers, ...from } }
}

/** IPv4 and IPv6 by turns, each IPv6 one in a network of its own. */
function addressOf(nth: number): string {
  const [high, middle, low] = [(nth >> 16) & 0xff, (nth >> 8) & 0xff, nth & 0xff]
  return nth % 2 === 0
    ? `10.${high}.${middle}.${low}`
    : `2001:db8:${(nth >> 16).toString(16)}:${(nth & 0xffff).toString(16)}::1`
}
