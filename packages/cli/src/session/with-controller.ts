import type { ControllerClient } from '@countersign/sdk'
import type { Call } from '../command.ts'
import { findHostedAddress } from '../hosted/hosted-api.ts'
import { withProgress } from '../with-progress.ts'
import { openController } from './open-controller.ts'
import type { OpenedController } from './opened-controller.ts'

/** Runs `work` with the controller of the call. Prints a progress line when it takes longer than a second. */
export async function withController<T>(
  call: Call,
  work: (client: ControllerClient, opened: OpenedController) => Promise<T>,
): Promise<T> {
  const run = async (): Promise<T> => {
    const opened = await openController(call)
    return opened.explain(work(opened.client, opened))
  }
  return withProgress(call.terminal, `waiting for ${findHostedAddress(call)?.url ?? 'the controller'}…`, run())
}
