import type { FuzzTarget } from './fuzz-target.ts'
import { authorizeTarget } from './targets/authorize-target.ts'
import { certificateTarget } from './targets/certificate-target.ts'
import { csrTarget } from './targets/csr-target.ts'
import { filterTarget } from './targets/filter-target.ts'
import { jsonTarget } from './targets/json-target.ts'
import { keySetTarget } from './targets/key-set-target.ts'
import { pointerTarget } from './targets/pointer-target.ts'
import { proofTarget } from './targets/proof-target.ts'
import { ruleClaimsTarget, ruleTarget } from './targets/rule-target.ts'
import { scimTarget } from './targets/scim-target.ts'
import { tokenRequestTarget } from './targets/token-request-target.ts'
import { tokenTarget } from './targets/token-target.ts'

/** Every parser that anonymous callers can reach, and those of identity providers. */
export const FUZZ_TARGETS: readonly FuzzTarget[] = [
  jsonTarget,
  tokenTarget,
  proofTarget,
  pointerTarget,
  filterTarget,
  keySetTarget,
  certificateTarget,
  csrTarget,
  authorizeTarget,
  tokenRequestTarget,
  scimTarget,
  ruleTarget,
  ruleClaimsTarget,
]
