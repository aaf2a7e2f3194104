import { type Check, type CheckName, type RefusalReason, RefusedVerdict } from './verdict.ts'

/** Text for people may cost something to write, and most verdicts are never shown to anybody. */
type Text<Kind> = Kind | (() => Kind)

/** What one check found; it passed when there is no refusal. */
export interface CheckOutcome {
  readonly expected: Text<string>
  readonly received: Text<string | null>
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

  get checks(): Check[] {
    const written = this.#outcomes.map(([check, { expected, received, refusal }]) => ({
      check,
      expected: write(expected),
      received: write(received),
      pass: refusal === undefined,
    }))
    return [formatCheck(), ...written]
  }

  /** The refusal that was recorded. */
  refuse(): RefusedVerdict {
    if (this.refusal === undefined) throw new TypeError('nothing was refused')
    return new RefusedVerdict(this.refusal, () => this.checks)
  }
}

const write = <Kind extends string | null>(text: Text<Kind>): Kind => (typeof text === 'function' ? text() : text)

const FORMAT = 'a signed token: three parts of canonical base64url, header and claims one JSON object each'

/** The first check of every verdict; `fault` says what is wrong with the form. */
export function formatCheck(fault?: string): Check {
  return { check: 'format', expected: FORMAT, received: fault ?? 'as expected', pass: fault === undefined }
}
