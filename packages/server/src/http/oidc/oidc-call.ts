import { AppError, type Parameters, parseParameters } from '@countersign/core'
import { type Issuers, OIDC_PATH } from '../../oidc/issuers.ts'
import type { Call } from '../pipeline/call.ts'
import { FORM_TYPE } from '../pipeline/limits.ts'
import { NO_PARAMETERS } from '../pipeline/query.ts'
import type { Route } from '../pipeline/route.ts'

export const PLAIN_TYPE = 'text/plain; charset=utf-8'

/** The issuer of the address under which the client has reached this controller. Throws NOT_FOUND for another address. */
export function issuerFor(issuers: Pick<Issuers, 'find'>, call: Pick<Call, 'untrustedHead' | 'localPort'>): string {
  const issuer = issuers.find(call.untrustedHead.host, call.localPort)
  if (issuer === undefined) throw new AppError('NOT_FOUND')
  return issuer
}

/** The media type of the body, without parameters. */
export function mediaType({ untrustedHead }: Pick<Call, 'untrustedHead'>): string {
  return (untrustedHead.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

/** The parameters of a form; none for a body of another type. */
export function readForm(call: Pick<Call, 'untrustedHead' | 'untrustedBytes'>): Parameters {
  const { untrustedBytes } = call
  if (!untrustedBytes || mediaType(call) !== FORM_TYPE) return NO_PARAMETERS
  return parseParameters(untrustedBytes.toString(), 'form')
}

type OidcRow = Pick<Route, 'method' | 'handle'> & { readonly paths: readonly string[]; readonly rate?: 'none' }

/** A route of the OpenID provider. It parses its body and chooses its media type itself. Unless `rate` is given, refusals count against the address. */
export function oidcRoute({ method, paths, handle, rate }: OidcRow): Route {
  return {
    method,
    paths: paths.map((path) => OIDC_PATH + path),
    access: 'anonymous',
    rate: rate ?? 'attempt',
    bodyCap: 'anonymous',
    body: null,
    note: null,
    produces: PLAIN_TYPE,
    handle,
  }
}

export const NO_STORE = { 'cache-control': 'no-store' }

/** A redirect without body. No referrer: URLs of the provider may contain ids and codes. */
export function redirect(location: string, headers: Readonly<Record<string, string>> = {}) {
  return {
    status: 302,
    headers: { location, ...NO_STORE, 'referrer-policy': 'no-referrer', ...headers },
    bytes: { content: Buffer.alloc(0), type: PLAIN_TYPE },
  }
}

export function plainText(status: number, text: string) {
  return { status, headers: NO_STORE, bytes: { content: Buffer.from(text), type: PLAIN_TYPE } }
}
