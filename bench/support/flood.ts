import { type GarbageSigner, garbageRequest } from '../../packages/server/test/attack/garbage-requests.ts'
import { buildRequest } from './build-request.ts'
import { startSteadyLoad } from './steady-load.ts'

/** Options of the flood process, passed in the environment variable FLOOD. */
export interface FloodOptions {
  readonly port: number
  readonly ca: string
  readonly perSecond: number
  /** Local addresses to connect from. */
  readonly addresses: readonly string[]
  readonly connections: number
  readonly signer: GarbageSigner
}

/** The number of responses by status. Status 0 stands for no response. */
export type FloodResponses = Readonly<Record<string, number>>

const PREPARED_REQUESTS = 12_000

// Sends garbage at a constant rate until the parent process sends a message.
const options = JSON.parse(process.env.FLOOD ?? '{}') as FloodOptions
const requests = Array.from({ length: PREPARED_REQUESTS }, (_, nth) => {
  const { method, path, headers, body } = garbageRequest(nth, options.signer)
  return buildRequest(method, path, headers, body)
})
let at = 0
const responses: Record<string, number> = {}
const load = await startSteadyLoad({
  from: Array.from({ length: options.connections }, (_, nth) => ({
    port: options.port,
    ca: options.ca,
    localAddress: options.addresses[nth % options.addresses.length] as string,
  })),
  perSecond: options.perSecond,
  request: () => requests[at++ % PREPARED_REQUESTS] as string,
  onResponse: (status) => {
    responses[status] = (responses[status] ?? 0) + 1
  },
  dropsWhenBusy: true,
})
process.send?.('started')
process.once('message', () => {
  void load.stop().then(() => process.send?.(responses, () => process.exit()))
})
