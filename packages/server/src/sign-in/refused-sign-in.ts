import type { PasswordOutcome, PasswordRefusal } from '../api-session/password-login.ts'
import type { RefusedSignIn } from './decision-recorder.ts'
import type { ExplainSignIn } from './explain-sign-in.ts'
import type { JwtRefusal } from './ext-jwt-sign-in.ts'
import { quoted } from './quoted.ts'
import { explainedIdentity, explainedPolicy, type SignInExplanation } from './sign-in-explanation.ts'

/** What a decision tells of the request that was refused. */
export type RefusedRequest = Pick<RefusedSignIn, 'id' | 'remoteAddress'>

const NO_TOKEN: SignInExplanation = {
  signers: [],
  identity: null,
  policy: null,
  missing: ['a token'],
  hints: ['no token was presented: send it in the header "Authorization: Bearer …"'],
}

/** A token that was refused, with the explanation of that very token for later. */
export function refusedJwt(
  request: RefusedRequest,
  { reason, signer, identityId, bearer }: JwtRefusal,
  bearers: readonly string[],
  explainSignIn: ExplainSignIn,
): RefusedSignIn {
  const token = bearer === undefined ? undefined : bearers[bearer]
  const count = bearers.length
  return {
    ...request,
    method: 'ext-jwt',
    reason,
    signerId: signer?.id,
    identityId,
    explain: async () => {
      if (token === undefined || bearer === undefined) return NO_TOKEN
      const explanation = await explainSignIn(token, 'ext-jwt', { hurried: true })
      if (count === 1) return explanation
      const which = `${count} tokens were presented: this is about the one in place ${bearer + 1}`
      return { ...explanation, hints: [which, ...explanation.hints] }
    },
  }
}

const MISSING: Readonly<Record<PasswordRefusal, (names: { identity: string; policy: string }) => string>> = {
  'unknown-user': () => 'an identity with this user name',
  'wrong-password': ({ identity }) => `the right password of the identity ${identity}`,
  disabled: ({ identity }) => `the identity ${identity} is disabled: enable it`,
  'not-allowed': ({ policy }) => `the policy ${policy} does not allow passwords`,
}

/** A password that was refused. The user name is left out as the password is: people type one in the place of the other. */
export function refusedPassword(
  request: RefusedRequest,
  { reason, identity, policy }: Extract<PasswordOutcome, { signedIn: false }>,
  now: number,
): RefusedSignIn {
  const names = { identity: quoted(identity?.name ?? ''), policy: quoted(policy?.name ?? '') }
  return {
    ...request,
    method: 'password',
    reason,
    signerId: undefined,
    identityId: identity?.id,
    explain: () => ({
      signers: [],
      identity: explainedIdentity(identity, now),
      policy: explainedPolicy(policy),
      missing: [MISSING[reason](names)],
      hints: [],
    }),
  }
}
