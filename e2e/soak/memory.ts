/** An hour of garbage and concurrent logins: the memory of the controller stays bounded, and logins succeed. */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { makeTestCertificate, mintKeyFrom, mintToken } from '@countersign/testkit'
import { buildRequest } from '../../bench/support/build-request.ts'
import { jwtLoginRequest } from '../../bench/support/login-operations.ts'
import { memoryMibOf } from '../../bench/support/server-process.ts'
import { startSteadyLoad, summarizeResponses } from '../../bench/support/steady-load.ts'
import { garbageRequest } from '../../packages/server/test/attack/garbage-requests.ts'
import { withSoakedController } from './support/soaked-controller.ts'

const GARBAGE_CONNECTIONS = 64
const LOGINS_PER_SECOND = 50
const LOGIN_CONNECTIONS = 8
const SAMPLES = 60
/** Memory is compared with the second of this many parts. Until then code is compiled, and pools and bounded caches fill. */
const PARTS = 6
const MAX_GROWTH_MIB = 64
const MAX_FAILED_PERCENT = 0.1
const SIGNER = { issuer: 'https://soak.example', audience: 'soak', kid: 'soak' }

/**
 * `npm run soak -- memory [--minutes=60] [--rate=5000]`: `rate` unique garbage requests per second. Throws when the process has grown by more
 * than 64 MiB since the warm-up, or when more than one in a thousand logins with a valid token failed.
 */
export async function run(flags: string[]): Promise<void> {
  const options = { minutes: { type: 'string', default: '60' }, rate: { type: 'string', default: '5000' } } as const
  const { values } = parseArgs({ args: flags, options, strict: false })
  const [minutes, rate] = [Number(values.minutes), Number(values.rate)]
  if (!(minutes > 0) || !(rate > 0)) throw new TypeError('--minutes and --rate must be numbers')
  // Each garbage request has its own address in a header; logins come from this one.
  const env = { COUNTERSIGN_HTTP_TRUSTED_PROXIES: '127.0.0.1' }
  await withSoakedController(env, async ({ controller, target, create }) => {
    const loginRequest = await prepareLogins(create)
    const measured: [number, number][] = []
    const logins = await startSteadyLoad({
      from: Array.from({ length: LOGIN_CONNECTIONS }, () => target),
      perSecond: LOGINS_PER_SECOND,
      request: loginRequest,
      onResponse: (status, milliseconds) => void measured.push([status, milliseconds]),
    })
    const statuses = new Map<number, number>()
    let nth = 0
    const garbage = await startSteadyLoad({
      from: Array.from({ length: GARBAGE_CONNECTIONS }, () => target),
      perSecond: rate,
      request: () => {
        const { method, path, headers, body } = garbageRequest(nth++, SIGNER)
        return buildRequest(method, path, headers, body)
      },
      onResponse: (status) => void statuses.set(status, (statuses.get(status) ?? 0) + 1),
      dropsWhenBusy: true,
    })
    const samples: number[] = []
    for (let sample = 1; sample <= SAMPLES; sample++) {
      await sleep((minutes * 60_000) / SAMPLES)
      samples.push(memoryMibOf(controller.pid))
      const at = ((minutes * sample) / SAMPLES).toFixed(1)
      console.log(`${at} min: ${samples.at(-1)?.toFixed(1)} MiB, ${nth} garbage, ${measured.length} logins`)
    }
    await Promise.all([logins.stop(), garbage.stop()])
    console.log(`garbage: ${[...statuses].map(([status, count]) => `${count} times ${status}`).join(', ')}`)
    const accepted = [...statuses.keys()].filter((status) => status < 400 || status >= 500)
    if (accepted.length > 0) throw new Error(`garbage got the status ${accepted.join()}`)
    const { p50Ms, p99Ms, failedPercent } = summarizeResponses(measured, 200)
    console.log(`logins: p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms, ${failedPercent.toFixed(3)} % failed`)
    checkGrowth(samples)
    if (failedPercent > MAX_FAILED_PERCENT) throw new Error(`${failedPercent} % of the logins failed`)
  })
}

/** Creates a signer and an identity. Returns a function that builds login requests, each with a new token. */
async function prepareLogins(create: (path: string, body: unknown) => Promise<string>): Promise<() => string> {
  const certificate = makeTestCertificate({ kind: 'ec256', commonName: 'soak' })
  const key = mintKeyFrom(certificate.privateKey, 'P-256', SIGNER.kid)
  const signer = { name: 'soak', enabled: true, useExternalId: true, ...SIGNER, kid: key.kid }
  await create('ext-jwt-signers', { ...signer, certPem: certificate.pem })
  await create('identities', { name: 'alice', type: 'Default', isAdmin: false, externalId: 'alice' })
  const { issuer: iss, audience: aud } = SIGNER
  let nth = 0
  return () => {
    const claims = { iss, aud, sub: 'alice', jti: String(nth++), exp: Math.floor(Date.now() / 1000) + 600 }
    return jwtLoginRequest(mintToken({ key, claims }))
  }
}

function checkGrowth(samples: readonly number[]): void {
  const part = Math.ceil(samples.length / PARTS)
  const medianOf = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
  const growth = medianOf(samples.slice(-part)) - medianOf(samples.slice(part, 2 * part))
  console.log(`grown by ${growth.toFixed(1)} MiB since the warm-up; at most ${Math.max(...samples).toFixed(1)} MiB`)
  if (growth > MAX_GROWTH_MIB) throw new Error(`grown by ${growth.toFixed(1)} MiB, ${MAX_GROWTH_MIB} are allowed`)
}
