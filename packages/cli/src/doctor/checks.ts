import { connect } from 'node:tls'
import { ControllerClient } from '@countersign/sdk'
import { CliError } from '../cli-error.ts'
import type { Profile } from '../files/profiles.ts'
import { createTrustingFetch } from '../net/trusting-fetch.ts'
import { explainNoAnswer } from '../net/unreachable.ts'
import { forProfile } from '../session/profile-words.ts'
import { type SecondJwt, supplySecondJwt } from '../session/second-jwt.ts'
import { checkSigners } from './check-signers.ts'
import type { Finding } from './finding.ts'

const MAX_SKEW_SECONDS = 30
const SOON_DAYS = 14
const DAY_MS = 86_400_000
const TIMEOUT_MS = 10_000

/** The connection and what depends on nothing but it: version and clock. */
export async function checkConnection({ url, caPem }: Profile): Promise<Finding[]> {
  const fetch = createTrustingFetch({ origin: url, caPem })
  const begun = Date.now()
  try {
    const response = await fetch(`${url}/version`, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    const took = Date.now() - begun
    const { data } = (await response.json()) as { data?: { version?: string } }
    const says = `${url} answers in ${took} ms, version ${String(data?.version)}`
    return [{ check: 'connection', ok: response.ok, says }, judgeClock(response.headers.get('date'), begun, took)]
  } catch (error) {
    const { what, hint } = explainNoAnswer(error)
    return [{ check: 'connection', ok: false, says: `no answer from ${url}: ${what}`, hint }]
  }
}

/** The header has no more than seconds, and the answer took its time. */
function judgeClock(date: string | null, begun: number, took: number): Finding {
  const there = Date.parse(date ?? '')
  if (Number.isNaN(there)) return { check: 'clock', ok: true, says: 'the server does not tell its time' }
  const skew = Math.round((begun + took / 2 - there - 500) / 1000)
  const ok = Math.abs(skew) <= MAX_SKEW_SECONDS
  const says =
    Math.abs(skew) <= 1
      ? 'this clock and the server’s agree'
      : `this clock is ${Math.abs(skew)} s ${skew > 0 ? 'ahead of' : 'behind'} the server’s`
  return {
    check: 'clock',
    ok,
    says,
    hint: ok ? undefined : 'set the clocks right: tokens and certificates are good by the clock',
  }
}

/** Whether the certificate leads to the trusted CA, and for how long. */
export async function checkCertificate({ url, caPem }: Profile): Promise<Finding> {
  const { hostname, port } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  const isName = /[a-z]/i.test(host) && !host.includes(':')
  const trusted = { rejectUnauthorized: true, ...(caPem !== undefined && { ca: caPem, allowPartialTrustChain: true }) }
  const socket = connect({ host, port: Number(port || 443), ...trusted, ...(isName && { servername: host }) })
  try {
    await new Promise<void>((resolve, reject) => {
      socket.setTimeout(TIMEOUT_MS, () => reject(new Error('no answer in time')))
      socket.once('secureConnect', resolve)
      socket.once('error', reject)
    })
    const ends = Date.parse(socket.getPeerX509Certificate()?.validTo ?? '')
    const days = Math.floor((ends - Date.now()) / DAY_MS)
    const anchor = caPem === undefined ? 'what this machine trusts' : 'the CA of the profile'
    return {
      check: 'certificate',
      ok: true,
      says: `leads to ${anchor}, good for ${days} days`,
      ...(days < SOON_DAYS && { hint: 'it ends soon: a controller renews its own by itself' }),
    }
  } catch (error) {
    const { what, hint } = explainNoAnswer(error)
    return { check: 'certificate', ok: false, says: what, hint }
  } finally {
    socket.destroy()
  }
}

/** Whether the session lives, and what its owner sees of the providers. */
export async function checkSession(
  { url, caPem, session }: Profile,
  profileName: string,
  second: SecondJwt | undefined,
): Promise<Finding[]> {
  const hint = `run: ${forProfile(`countersign login ${url}`, profileName)}`
  if (session === undefined) return [{ check: 'session', ok: false, says: 'you are signed out', hint }]
  const secondaryToken = second && supplySecondJwt(second)
  const fetch = createTrustingFetch({ origin: url, caPem })
  const client = new ControllerClient({ baseUrl: url, session, fetch, secondaryToken })
  try {
    const { identity, expiresAt, authQueries } = await client.currentSession()
    if (authQueries.length > 0) {
      const lacks = authQueries.map(({ typeId }) => (typeId === 'MFA' ? 'one-time code' : 'second token')).join(' and ')
      return [{ check: 'session', ok: false, says: `signed in as ${identity.name}, without its ${lacks}`, hint }]
    }
    const found = { check: 'session', ok: true, says: `signed in as ${identity.name} until ${expiresAt} unless used` }
    return [found, ...(await checkSigners(client, profileName))]
  } catch (error) {
    if (error instanceof CliError) return [{ check: 'session', ok: false, says: error.message, hint: error.hint }]
    return [{ check: 'session', ok: false, says: 'the session has ended', hint }]
  }
}
