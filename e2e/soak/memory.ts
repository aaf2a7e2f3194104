/** An hour of garbage beside people who sign in: the memory of the controller stays bounded, and people get in. */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { makeTestCertificate, mintKeyFrom, mintToken } from '@countersign/testkit'
import { http } from '../../bench/support/http.ts'
import { signIn } from '../../bench/support/login-operations.ts'
import { memoryMibOf } from '../../bench/support/server-process.ts'
import { readAnswers, startSteadyLoad } from '../../bench/support/steady-load.ts'
import { garbageRequest } from '../../packages/server/test/attack/garbage-requests.ts'
import { withSoakedController } from './support/soaked-controller.ts'

const GARBAGE_CONNECTIONS = 64
const SIGN_INS_PER_SECOND = 50
const SIGN_IN_CONNECTIONS = 8
const SAMPLES = 60
/** Memory is compared with that of the second part of so many: until then code is compiled, and pools and bounded caches fill. */
const PARTS = 6
const MOST_GROWTH_MIB = 64
const MOST_FAILED_PERCENT = 0.1
const SIGNER = { issuer: 'https://soak.example', audience: 'soak', kid: 'soak' }

/**
 * `npm run soak -- memory [--minutes=60] [--rate=5000]`: so much garbage a second, no request like another. Throws when the process has
 * grown by more than 64 MiB since it was warm, or when more than one in a thousand of those who have a good token was not let in.
 */
export async function run(flags: string[]): Promise<void> {
  const options = { minutes: { type: 'string', default: '60' }, rate: { type: 'string', default: '5000' } } as const
  const { values } = parseArgs({ args: flags, options, strict: false })
  const [minutes, rate] = [Number(values.minutes), Number(values.rate)]
  if (!(minutes > 0) || !(rate > 0)) throw new TypeError('--minutes and --rate must be numbers')
  // Each piece of garbage says in a header that it comes from an address of its own; people come from this one.
  const env = { COUNTERSIGN_HTTP_TRUSTED_PROXIES: '127.0.0.1' }
  await withSoakedController(env, async ({ controller, target, create }) => {
    const signIn = await preparePeople(create)
    const answers: [number, number][] = []
    const people = await startSteadyLoad({
      from: Array.from({ length: SIGN_IN_CONNECTIONS }, () => target),
      perSecond: SIGN_INS_PER_SECOND,
      request: signIn,
      onAnswer: (status, milliseconds) => void answers.push([status, milliseconds]),
    })
    const statuses = new Map<number, number>()
    let nth = 0
    const garbage = await startSteadyLoad({
      from: Array.from({ length: GARBAGE_CONNECTIONS }, () => target),
      perSecond: rate,
      request: () => {
        const { method, path, headers, body } = garbageRequest(nth++, SIGNER)
        return http(method, path, headers, body)
      },
      onAnswer: (status) => void statuses.set(status, (statuses.get(status) ?? 0) + 1),
      isLossy: true,
    })
    const samples: number[] = []
    for (let sample = 1; sample <= SAMPLES; sample++) {
      await sleep((minutes * 60_000) / SAMPLES)
      samples.push(memoryMibOf(controller.pid))
      const at = ((minutes * sample) / SAMPLES).toFixed(1)
      console.log(`${at} min: ${samples.at(-1)?.toFixed(1)} MiB, ${nth} garbage, ${answers.length} sign-ins`)
    }
    await Promise.all([people.stop(), garbage.stop()])
    console.log(`garbage: ${[...statuses].map(([status, count]) => `${count} times ${status}`).join(', ')}`)
    const accepted = [...statuses.keys()].filter((status) => status < 400 || status >= 500)
    if (accepted.length > 0) throw new Error(`garbage was answered with ${accepted.join()}`)
    const { p50Ms, p99Ms, failedPercent } = readAnswers(answers, 200)
    console.log(
      `sign-ins: p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms, ${failedPercent.toFixed(3)} % failed`,
    )
    judgeMemory(samples)
    if (failedPercent > MOST_FAILED_PERCENT) throw new Error(`${failedPercent} % of the sign-ins failed`)
  })
}

/** A signer and somebody whom it lets in; answers how to make requests of his, each with a token of its own. */
async function preparePeople(create: (path: string, body: unknown) => Promise<string>): Promise<() => string> {
  const certificate = makeTestCertificate({ kind: 'ec256', commonName: 'soak' })
  const key = mintKeyFrom(certificate.privateKey, 'P-256', SIGNER.kid)
  const signer = { name: 'soak', enabled: true, useExternalId: true, ...SIGNER, kid: key.kid }
  await create('ext-jwt-signers', { ...signer, certPem: certificate.pem })
  await create('identities', { name: 'somebody', type: 'Default', isAdmin: false, externalId: 'somebody' })
  const { issuer: iss, audience: aud } = SIGNER
  let nth = 0
  return () => {
    const claims = { iss, aud, sub: 'somebody', jti: String(nth++), exp: Math.floor(Date.now() / 1000) + 600 }
    return signIn(mintToken({ key, claims }))
  }
}

function judgeMemory(samples: readonly number[]): void {
  const part = Math.ceil(samples.length / PARTS)
  const middleOf = (some: readonly number[]) => some.toSorted((a, b) => a - b)[Math.floor(some.length / 2)] ?? 0
  const growth = middleOf(samples.slice(-part)) - middleOf(samples.slice(part, 2 * part))
  console.log(`grown by ${growth.toFixed(1)} MiB since it was warm; at most ${Math.max(...samples).toFixed(1)} MiB`)
  if (growth > MOST_GROWTH_MIB) throw new Error(`grown by ${growth.toFixed(1)} MiB, ${MOST_GROWTH_MIB} are allowed`)
}
