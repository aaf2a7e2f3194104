import { connect } from 'node:tls'
import { ControllerClient } from '@countersign/sdk'
import { CliError } from '../cli-error.ts'
import { loadProfileKey } from '../files/dpop-keys.ts'
import type { Profile } from '../files/profiles.ts'
import { explainNoResponse } from '../net/explain-no-response.ts'
import { createTrustingFetch } from '../net/trusting-fetch.ts'
import { type SecondJwt, supplySecondJwt } from '../session/second-jwt.ts'
import { withProfileFlag } from '../session/with-profile-flag.ts'
import { isSdkError, toCliError } from '../to-cli-error.ts'
import { checkDemoRecords } from './check-demo-records.ts'
import { checkSigners } from './check-signers.ts'
import type { Finding } from './finding.ts'

const MAX_SKEW_SECONDS = 30
const SOON_DAYS = 14
const DAY_MS = 86_400_000
const TIMEOUT_MS = 10_000
const FACTORS: Readonly<Record<string, string>> = { MFA: 'one-time code', PASSKEY: 'passkey' }
const UNAUTHORIZED = 401

/** The controller that is checked. */
export type Controller = Pick<Profile, 'url'> & { readonly caPem?: string | undefined }

/** Checks the connection, and with it the version and the clock. */
export async function checkConnection({ url, caPem }: Controller): Promise<Finding[]> {
  const fetch = createTrustingFetch({ origin: url, caPem })
  const startedAt = Date.now()
  try {
    const response = await fetch(`${url}/version`, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    const took = Date.now() - startedAt
    const { data } = (await response.json()) as { data?: { version?: string } }
    const says = `${url} responds in ${took} ms, version ${String(data?.version)}`
    return [{ check: 'connection', ok: response.ok, says }, checkClock(response.headers.get('date'), startedAt, took)]
  } catch (error) {
    const { what, hint } = explainNoResponse(error)
    return [{ check: 'connection', ok: false, says: `no response from ${url}: ${what}`, hint }]
  }
}

/** Assumes the middle of the exchange as the time of the `Date` header, which has a resolution of seconds. */
function checkClock(date: string | null, startedAt: number, took: number): Finding {
  const there = Date.parse(date ?? '')
  if (Number.isNaN(there)) return { check: 'clock', ok: true, says: 'not checked: the response has no Date header' }
  const skew = Math.round((startedAt + took / 2 - there - 500) / 1000)
  const ok = Math.abs(skew) <= MAX_SKEW_SECONDS
  const says =
    Math.abs(skew) <= 1
      ? 'in sync with the server'
      : `this machine’s clock is ${Math.abs(skew)} s ${skew > 0 ? 'ahead of' : 'behind'} the server’s`
  return {
    check: 'clock',
    ok,
    says,
    hint: ok ? undefined : 'correct the clock: the validity of tokens and certificates depends on it',
  }
}

/** Whether the certificate chains to the trusted CA, and for how long it is valid. */
export async function checkCertificate({ url, caPem }: Controller): Promise<Finding> {
  const { hostname, port } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  const isName = /[a-z]/i.test(host) && !host.includes(':')
  const trusted = { rejectUnauthorized: true, ...(caPem !== undefined && { ca: caPem, allowPartialTrustChain: true }) }
  const socket = connect({ host, port: Number(port || 443), ...trusted, ...(isName && { servername: host }) })
  try {
    await new Promise<void>((resolve, reject) => {
      socket.setTimeout(TIMEOUT_MS, () => reject(new Error('no response in time')))
      socket.once('secureConnect', resolve)
      socket.once('error', reject)
    })
    const ends = Date.parse(socket.getPeerX509Certificate()?.validTo ?? '')
    const days = Math.floor((ends - Date.now()) / DAY_MS)
    const anchor = caPem === undefined ? 'a CA of this machine' : 'the CA of the profile'
    return {
      check: 'certificate',
      ok: true,
      says: `chains to ${anchor}, valid for ${days} days`,
      ...(days < SOON_DAYS && { hint: 'it expires soon: a controller renews its own certificate automatically' }),
    }
  } catch (error) {
    const { what, hint } = explainNoResponse(error)
    return { check: 'certificate', ok: false, says: what, hint }
  } finally {
    socket.destroy()
  }
}

/** Checks the session and, with it, the keys of the signers and leftovers of `--dev`. */
export async function checkSession(
  { url, caPem, session, dpopKey }: Profile,
  profileName: string,
  second: SecondJwt | undefined,
): Promise<Finding[]> {
  const hint = `run: ${withProfileFlag(`countersign login ${url}`, profileName)}`
  if (session === undefined) return [{ check: 'session', ok: false, says: 'you are logged out', hint }]
  const secondaryToken = second && supplySecondJwt(second)
  try {
    const dpop = await loadProfileKey(dpopKey)
    const fetch = createTrustingFetch({ origin: url, caPem, dpop })
    const client = new ControllerClient({ baseUrl: url, session, fetch, secondaryToken })
    const { identity, expiresAt, authQueries } = await client.currentSession()
    if (authQueries.length > 0) {
      const missing = authQueries.map(({ typeId }) => FACTORS[typeId] ?? 'second token').join(' and ')
      return [{ check: 'session', ok: false, says: `logged in as ${identity.name}, without its ${missing}`, hint }]
    }
    const found = {
      check: 'session',
      ok: true,
      says: `logged in as ${identity.name} until ${expiresAt}, longer if used`,
    }
    const signers = await checkSigners(client, profileName)
    return [found, ...signers, ...(await checkDemoRecords({ client, url, session, fetch }))]
  } catch (error) {
    if (isSdkError(error) && error.status === UNAUTHORIZED) {
      return [{ check: 'session', ok: false, says: 'the session has ended', hint }]
    }
    const known = toCliError(error)
    if (!(known instanceof CliError)) throw error
    return [{ check: 'session', ok: false, says: known.message, hint: known.hint }]
  }
}
