import { WhatIfReport } from '../what-if.ts'
import { EVENT_RESPONSES } from './event-responses.ts'
import { HOSTED_RESPONSES } from './hosted-responses.ts'
import { HOSTED_VIEWS } from './hosted-views.ts'
import { IDENTITY_RESPONSES } from './identity-responses.ts'
import { INFORMATION_RESPONSES } from './information-responses.ts'
import { SESSION_RESPONSES } from './session-responses.ts'
import { SIGNER_RESPONSES } from './signer-responses.ts'

/** The schemas of `data` in responses, by their names in the OpenAPI documents. */
export const RESPONSES = {
  ...INFORMATION_RESPONSES,
  ...SESSION_RESPONSES,
  ...SIGNER_RESPONSES,
  ...IDENTITY_RESPONSES,
  ...EVENT_RESPONSES,
  ...HOSTED_RESPONSES,
  ...HOSTED_VIEWS,
  WhatIfReport,
}

export type ResponseName = keyof typeof RESPONSES
