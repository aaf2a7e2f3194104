import type { Stage } from './client.ts'
import { enrollByToken, enrollOnce } from './enrollment-actions.ts'
import {
  changePolicy,
  create,
  disableAny,
  enableAny,
  removeAny,
  removePasswordOfAny,
  revokeAllOfAny,
} from './identity-actions.ts'
import { logIn, logOut, revoke, useAny } from './session-actions.ts'
import type { SimulatedNode } from './simulated-node.ts'

interface Action {
  /** How often it is chosen. */
  readonly weight: number
  run(stage: Stage, node: SimulatedNode): Promise<void>
}

/** What clients do. */
export const ACTIONS: readonly Action[] = [
  { weight: 20, run: useAny },
  { weight: 15, run: logIn },
  { weight: 5, run: create },
  { weight: 3, run: logOut },
  { weight: 3, run: revoke },
  { weight: 1, run: revokeAllOfAny },
  { weight: 2, run: disableAny },
  { weight: 2, run: enableAny },
  { weight: 1, run: removeAny },
  { weight: 1, run: removePasswordOfAny },
  { weight: 2, run: changePolicy },
  { weight: 2, run: enrollOnce },
  { weight: 2, run: enrollByToken },
]
