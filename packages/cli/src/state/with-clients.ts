import type { Call } from '../command.ts'
import { withHosted } from '../hosted/with-hosted.ts'
import type { ResourceDescription } from '../resources/resource-kind.ts'
import { withController } from '../session/with-controller.ts'
import type { AccountOptions } from './hosted-collections.ts'
import { type Clients, isHosted } from './state-kinds.ts'

/** Runs `work` with a client of the controller, and one of the hosted API if one of the kinds needs it. */
export function withClients<T>(
  call: Call,
  kinds: Iterable<ResourceDescription>,
  work: (clients: Clients) => Promise<T>,
  accounts: AccountOptions = {},
): Promise<T> {
  const needsHosted = [...kinds].some(isHosted)
  return withController(call, (controller) =>
    needsHosted ? withHosted(call, (hosted) => work({ controller, hosted, accounts })) : work({ controller }),
  )
}
