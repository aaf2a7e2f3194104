import { randomBytes } from 'node:crypto'

const CLIENT = '/edge/client/v1'
const LOGIN = `${CLIENT}/authenticate?method=ext-jwt`

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
  return { iss, aud, sub: `unknown-${nth}`, jti: String(nth), exp: 4_102_444_800 }
}

/** Requests that anonymous callers can send in any number without repetition. */
const KINDS: readonly Garbage[] = [
  (nth) => ({ path: LOGIN, headers: bearer(`garbage-${nth}`) }),
  (nth, { audience }) => {
    const foreign = { issuer: `https://${nth}.example`, audience, kid: '' }
    return { path: LOGIN, headers: bearer(token({ kid: `kid-${nth}` }, claims(nth, foreign))) }
  },
  (nth, signer) => ({ path: LOGIN, headers: bearer(token({ kid: `kid-${nth}` }, claims(nth, signer))) }),
  (nth, signer) => ({ path: LOGIN, headers: bearer(token({ kid: signer.kid }, claims(nth, signer))) }),
  (nth, signer) => ({
    path: `${CLIENT}/enroll/token`,
    headers: bearer(token({ kid: signer.kid, nth }, claims(nth, signer))),
    body: '{}',
  }),
  (nth) => ({ path: `${CLIENT}/current-api-session`, headers: { 'zt-session': `${nth}-`.padEnd(43, 'x') } }),
]

/** The n-th request, with a unique token, kid, issuer and client address. */
export function garbageRequest(nth: number, signer: GarbageSigner): GarbageRequest {
  const garbage = (KINDS[nth % KINDS.length] as Garbage)(nth, signer)
  const method = garbage.path.endsWith('session') ? 'GET' : 'POST'
  const from = { 'x-forwarded-for': addressOf(nth), 'user-agent': `agent-${nth}` }
  return { ...garbage, method, headers: { ...garbage.headers, ...from } }
}

/** Alternates IPv4 and IPv6; each IPv6 address is in its own network. */
function addressOf(nth: number): string {
  const [high, middle, low] = [(nth >> 16) & 0xff, (nth >> 8) & 0xff, nth & 0xff]
  return nth % 2 === 0
    ? `10.${high}.${middle}.${low}`
    : `2001:db8:${(nth >> 16).toString(16)}:${(nth & 0xffff).toString(16)}::1`
}
