import type { RefusedSignIn } from './decision-recorder.ts'
import type { SignInExplanation } from './login-explanation.ts'

/** What a decision says of the refused request. */
export type RefusedRequest = Pick<RefusedSignIn, 'id' | 'remoteAddress'>

const NO_TOKEN: SignInExplanation = {
  signers: [],
  identity: null,
  policy: null,
  missing: ['a token'],
  hints: ['no token was presented: send it in the header "Authorization: Bearer …"'],
}

/** The explanation of one of the presented tokens, which says which one; undefined for none of them. */
export async function explainBearer(
  bearers: readonly string[],
  bearer: number | undefined,
  explain: (token: string) => Promise<SignInExplanation>,
): Promise<SignInExplanation> {
  const token = bearer === undefined ? undefined : bearers[bearer]
  if (token === undefined || bearer === undefined) return NO_TOKEN
  const explanation = await explain(token)
  if (bearers.length === 1) return explanation
  const which = `${bearers.length} tokens were presented: this is about the one in place ${bearer + 1}`
  return { ...explanation, hints: [which, ...explanation.hints] }
}
