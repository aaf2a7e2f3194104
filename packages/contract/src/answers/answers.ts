import { HOSTED_ANSWERS } from './hosted-answers.ts'
import { IDENTITY_ANSWERS } from './identity-answers.ts'
import { INFORMATION_ANSWERS } from './information-answers.ts'
import { SESSION_ANSWERS } from './session-answers.ts'
import { SIGNER_ANSWERS } from './signer-answers.ts'

/** What answers hold in `data`, by the name under which the API's description knows it. */
export const ANSWERS = {
  ...INFORMATION_ANSWERS,
  ...SESSION_ANSWERS,
  ...SIGNER_ANSWERS,
  ...IDENTITY_ANSWERS,
  ...HOSTED_ANSWERS,
}

export type AnswerName = keyof typeof ANSWERS
