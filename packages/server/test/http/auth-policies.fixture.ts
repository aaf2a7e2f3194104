import type { TestApp } from './build-app.ts'

export const POLICIES = '/edge/management/v1/auth-policies'

type Body = Record<string, unknown>

interface PolicyParts {
  readonly cert?: Body
  readonly extJwt?: Body
  readonly updb?: Body
  readonly secondary?: Body
  readonly [member: string]: unknown
}

let count = 0

/** A complete policy with a unique name that allows every login method; the given parts override it. */
export function policyBody({ cert, extJwt, updb, secondary, ...members }: PolicyParts = {}) {
  count++
  return {
    name: `policy-${count}`,
    primary: {
      cert: { allowed: true, allowExpiredCerts: false, ...cert },
      extJwt: { allowed: true, allowedSigners: [] as string[], ...extJwt },
      updb: {
        allowed: true,
        minPasswordLength: 5,
        requireSpecialChar: false,
        requireNumberChar: false,
        requireMixedCase: false,
        maxAttempts: 0,
        lockoutDurationMinutes: 0,
        ...updb,
      },
    },
    secondary: { requireTotp: false, ...secondary },
    ...members,
  }
}

/** Creates a policy and returns its id. */
export async function createPolicy(app: TestApp, parts: PolicyParts = {}): Promise<string> {
  const reply = await app.admin('POST', POLICIES, policyBody(parts))
  if (reply.status !== 201) throw new Error(`create policy: ${reply.status} ${reply.text}`)
  return reply.json.data.id
}

// biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
export async function policyOf(app: TestApp, id: string): Promise<any> {
  const reply = await app.admin('GET', `${POLICIES}/${id}`)
  if (reply.status !== 200) throw new Error(`policy: ${reply.status} ${reply.text}`)
  return reply.json.data
}
