import { type GarbageSigner, garbageRequest } from '../../packages/server/test/attack/garbage-requests.ts'
import { http } from './http.ts'
import { startSteadyLoad } from './steady-load.ts'

/** What the process that floods is told, in its environment. */
export interface FloodOrder {
  readonly port: number
  readonly ca: string
  readonly perSecond: number
  /** Addresses of this machine that it comes from. */
  readonly addresses: readonly string[]
  readonly connections: number
  readonly signer: GarbageSigner
}

/** What it says when it is stopped: how many of each answer there were. */
export type FloodAnswers = Readonly<Record<string, number>>

const PREPARED = 12_000

/** Sends garbage at a steady rate from when it is started until it is told to stop. */
const order = JSON.parse(process.env.FLOOD ?? '{}') as FloodOrder
const requests = Array.from({ length: PREPARED }, (_, nth) => {
  const { method, path, headers, body } = garbageRequest(nth, order.signer)
  return http(method, path, headers, body)
})
let at = 0
const answers: Record<string, number> = {}
const load = await startSteadyLoad({
  from: Array.from({ length: order.connections }, (_, nth) => ({
    port: order.port,
    ca: order.ca,
    localAddress: order.addresses[nth % order.addresses.length] as string,
  })),
  perSecond: order.perSecond,
  request: () => requests[at++ % PREPARED] as string,
  onAnswer: (status) => {
    answers[status] = (answers[status] ?? 0) + 1
  },
  isLossy: true,
})
process.send?.('started')
process.once('message', () => {
  void load.stop().then(() => process.send?.(answers, () => process.exit()))
})
