import { OidcLogin } from '@countersign/contract'
import { AppError, type JsonObject, type Parameters, readBody } from '@countersign/core'
import type { Call } from '../pipeline/call.ts'
import { FORM_TYPE, JSON_TYPE } from '../pipeline/limits.ts'
import { parseJson } from '../pipeline/read-json-body.ts'
import { mediaType, readForm } from './oidc-call.ts'

/** Names in forms of the members of `envInfo` and `sdkInfo`. The Go SDK sends `sdkAppID`. */
const ENV_NAMES = {
  arch: ['envArch'],
  os: ['envOs'],
  osRelease: ['envOsRelease'],
  osVersion: ['envOsVersion'],
  domain: ['envDomain'],
  hostname: ['envHostname'],
}
const SDK_NAMES = {
  appId: ['sdkAppId', 'sdkAppID'],
  appVersion: ['sdkAppVersion'],
  branch: ['sdkBranch'],
  revision: ['sdkRevision'],
  type: ['sdkType'],
  version: ['sdkVersion'],
}
const PLAIN_NAMES = ['id', 'username', 'password', 'csrPem', 'code', 'token']

/** The body of a login step: JSON or a form. Throws UNSUPPORTED_MEDIA_TYPE for another type, also when there is no body. */
export function readLoginBody(call: Pick<Call, 'untrustedHead' | 'untrustedBytes'>): OidcLogin {
  const type = mediaType(call)
  const { untrustedBytes } = call
  if (type === FORM_TYPE) return readBody(OidcLogin, fromForm(readForm(call))) as OidcLogin
  if (type !== JSON_TYPE) throw new AppError('UNSUPPORTED_MEDIA_TYPE')
  const json = untrustedBytes && untrustedBytes.length > 0 ? parseJson(untrustedBytes) : {}
  return readBody(OidcLogin, json) as OidcLogin
}

/** The login that a step belongs to. */
export function loginIdOf(body: OidcLogin, { query }: Pick<Call, 'query'>): string {
  return body.id || query.get('authRequestID') || query.get('id') || ''
}

function fromForm(form: Parameters): JsonObject {
  const plain = PLAIN_NAMES.flatMap((name) => {
    const value = form.get(name)
    return value === undefined ? [] : [[name, value]]
  })
  const configTypes = form.all('configTypes').filter((type) => type !== '')
  const nested = { envInfo: infoOf(form, ENV_NAMES), sdkInfo: infoOf(form, SDK_NAMES) }
  const given = Object.entries(nested).filter(([, info]) => Object.keys(info).length > 0)
  return { ...Object.fromEntries([...plain, ...given]), ...(configTypes.length > 0 && { configTypes }) }
}

/** Clients send empty members for what they do not know. */
function infoOf(form: Parameters, names: Readonly<Record<string, readonly string[]>>): JsonObject {
  const members = Object.entries(names).flatMap(([member, inForm]) => {
    const value = inForm.map((name) => form.get(name)).find((given) => given)
    return value ? [[member, value] as const] : []
  })
  return Object.fromEntries(members)
}
