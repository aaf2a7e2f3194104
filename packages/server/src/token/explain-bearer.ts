import type { RefusedLogin } from './decision-recorder.ts'
import type { LoginExplanation } from './login-explanation.ts'

/** The request members that a decision contains. */
export type RefusedRequest = Pick<RefusedLogin, 'id' | 'remoteAddress'>

const NO_TOKEN: LoginExplanation = {
  signers: [],
  identity: null,
  policy: null,
  missing: ['a token'],
  hints: ['the request has no token: send it in the header "Authorization: Bearer …"'],
}

/** Explains `bearers[bearer]`. With several tokens, a hint says which one. `bearer` is undefined when the request has no token. */
export async function explainBearer(
  bearers: readonly string[],
  bearer: number | undefined,
  explain: (token: string) => Promise<LoginExplanation>,
): Promise<LoginExplanation> {
  const token = bearer === undefined ? undefined : bearers[bearer]
  if (token === undefined || bearer === undefined) return NO_TOKEN
  const explanation = await explain(token)
  if (bearers.length === 1) return explanation
  const which = `the request has ${bearers.length} tokens: this explains token ${bearer + 1}`
  return { ...explanation, hints: [which, ...explanation.hints] }
}
