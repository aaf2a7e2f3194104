/** Measures whether the time of a refusal reveals its reason. */
import { parseArgs } from 'node:util'
import { makeTestCertificate, mintKeyFrom, mintToken } from '@countersign/testkit'
import { openConnection } from '../../bench/support/connection.ts'
import { jwtLoginRequest } from '../../bench/support/login-operations.ts'
import { withSoakedController } from './support/soaked-controller.ts'
import { welchT } from './support/welch-t.ts'

const MAX_T = 4.5
/** The slowest tenth of all samples is noise: garbage collection, other processes. */
const USED_SHARE = 0.9

/** `npm run soak -- timing [--samples=100000]`, for each group. Throws when two groups can be distinguished. */
export async function run(flags: string[]): Promise<void> {
  const { values } = parseArgs({ args: flags, options: { samples: { type: 'string' } }, strict: false })
  const samples = Number(values.samples ?? 100_000)
  const env = { COUNTERSIGN_LIMITS_ADDRESS_BURST: '0' }
  await withSoakedController(env, async ({ target, create }) => {
    const certificate = makeTestCertificate({ kind: 'ec256', commonName: 'soak' })
    const signer = { enabled: true, useExternalId: true, issuer: 'https://soak.example', audience: 'soak' }
    await create('ext-jwt-signers', { ...signer, name: 'soak', kid: 'soak', certPem: certificate.pem })
    const other = makeTestCertificate({ kind: 'ec256', commonName: 'other' })
    const otherId = await create('ext-jwt-signers', { ...signer, name: 'other', audience: 'other', certPem: other.pem })
    const forbids = await create('auth-policies', policy('forbids', { allowed: false, allowedSigners: [] }))
    const others = await create('auth-policies', policy('others', { allowed: true, allowedSigners: [otherId] }))
    const identity = { type: 'Default', isAdmin: false }
    const disabled = await create('identities', { ...identity, name: 'disabled', externalId: 'disabled' })
    await create(`identities/${disabled}/disable`, { durationMinutes: 0 })
    await create('identities', { ...identity, name: 'forbidden', externalId: 'forbidden', authPolicyId: forbids })
    await create('identities', { ...identity, name: 'elsewhere', externalId: 'elsewhere', authPolicyId: others })

    const key = mintKeyFrom(certificate.privateKey, 'P-256', 'soak')
    const exp = Math.floor(Date.now() / 1000) + 86_400
    const groups = ['unknown--', 'disabled', 'forbidden', 'elsewhere'].map((sub) => {
      const token = mintToken({ key, claims: { iss: signer.issuer, aud: signer.audience, sub, exp } })
      return { name: sub, request: jwtLoginRequest(token), times: [] as number[] }
    })
    const connection = await openConnection(target)
    for (let round = 0; round < samples; round++) {
      // In random order, so that side effects of one group affect all others equally.
      for (const { request, times } of groups.toSorted(() => Math.random() - 0.5)) {
        const sent = process.hrtime.bigint()
        const { status } = await connection.send(request)
        times.push(Number(process.hrtime.bigint() - sent))
        if (status !== 401) throw new Error(`a refusal had the status ${status}`)
      }
      if (round % Math.ceil(samples / 10) === 0) console.log(`${round} of ${samples}`)
    }
    connection.close()
    compareGroups(groups)
  })
}

function compareGroups(groups: readonly { readonly name: string; readonly times: readonly number[] }[]): void {
  const all = groups.flatMap(({ times }) => times).toSorted((a, b) => a - b)
  const slowest = all[Math.floor(all.length * USED_SHARE)] ?? 0
  const distinguishable: string[] = []
  for (const [index, a] of groups.entries()) {
    for (const b of groups.slice(index + 1)) {
      const t = welchT(
        a.times.filter((time) => time < slowest),
        b.times.filter((time) => time < slowest),
      )
      console.log(`${a.name} and ${b.name}: t = ${t.toFixed(2)}`)
      if (Math.abs(t) >= MAX_T) distinguishable.push(`${a.name} and ${b.name}`)
    }
  }
  if (distinguishable.length > 0) throw new Error(`distinguishable by time: ${distinguishable.join('; ')}`)
}

function policy(name: string, extJwt: object) {
  const updb = {
    allowed: true,
    minPasswordLength: 5,
    requireSpecialChar: false,
    requireNumberChar: false,
    requireMixedCase: false,
    maxAttempts: 0,
    lockoutDurationMinutes: 0,
  }
  const cert = { allowed: true, allowExpiredCerts: false }
  return { name, primary: { cert, extJwt, updb }, secondary: { requireTotp: false } }
}
