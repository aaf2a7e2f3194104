import { type Check, type CheckName, type RefusalReason, type RefusedVerdict, refuse } from './verdict.ts'

/** Text for people that costs something to write, which most verdicts never need. */
type Text = string | (() => string)

/** What one check found; it passed when there is no refusal. */
export interface CheckOutcome {
  readonly expected: Text
  readonly received: Text | null
  readonly refusal?: RefusalReason | undefined
}

/** Collects the checks of one verdict in order, for a token of the right form. The first refusal is the reason; `add` says whether to go on after each. */
export class CheckRecord {
  readonly #outcomes: [CheckName, CheckOutcome][] = []
  readonly goesOnAfterRefusal: boolean
  refusal: RefusalReason | undefined

  constructor(goesOnAfterRefusal: boolean) {
    this.goesOnAfterRefusal = goesOnAfterRefusal
  }

  add(check: CheckName, outcome: CheckOutcome): boolean {
    this.#outcomes.push([check, outcome])
    this.refusal ??= outcome.refusal
    return outcome.refusal === undefined || this.goesOnAfterRefusal
  }

  get count(): number {
    return 1 + this.#outcomes.length
  }

  get checks(): Check[] {
    const written = this.#outcomes.map(([check, { expected, received, refusal }]) => ({
      check,
      expected: write(expected),
      received: received === null ? null : write(received),
      pass: refusal === undefined,
    }))
    return [formatCheck(), ...written]
  }

  /** The refusal that was recorded. */
  refuse(): RefusedVerdict {
    if (this.refusal === undefined) throw new TypeError('nothing was refused')
    return refuse(this.refusal, this.checks)
  }
}

const write = (text: Text): string => (typeof text === 'string' ? text : text())

const FORMAT = 'a signed token: three parts of canonical base64url, header and claims one JSON object each'

/** The first check of every verdict; `fault` says what is wrong with the form. */
export function formatCheck(fault?: string): Check {
  return { check: 'format', expected: FORMAT, received: fault ?? 'as expected', pass: fault === undefined }
}
