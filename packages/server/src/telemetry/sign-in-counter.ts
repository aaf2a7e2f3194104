import { Counter, type Registry } from 'prom-client'

interface Tally {
  readonly method: string
  readonly signer: string
  readonly reason: string
  count: number
}

/**
 * Outcomes of signing in. The library's counter makes one text of all labels each time, which takes it a microsecond: here they are compared, and
 * handed to it when somebody looks.
 */
export class SignInCounter {
  /** By signer; each has few methods and reasons. */
  readonly #tallies = new Map<string, Tally[]>()

  constructor(registers: Registry[]) {
    const tallies = this.#tallies
    new Counter({
      name: 'countersign_sign_ins_total',
      help: 'Outcomes of signing in, by method, signer and reason; the reason of a good one is success',
      labelNames: ['method', 'signer', 'reason'],
      registers,
      collect() {
        this.reset()
        for (const { count, ...labels } of [...tallies.values()].flat()) this.inc(labels, count)
      },
    })
  }

  count(method: string, signer: string, reason: string): void {
    const ofSigner = this.#tallies.get(signer) ?? []
    const known = ofSigner.find((tally) => tally.reason === reason && tally.method === method)
    if (known) known.count += 1
    else this.#tallies.set(signer, [...ofSigner, { method, signer, reason, count: 1 }])
  }
}
