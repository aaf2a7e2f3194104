import { type Check, type CheckName, type RefusalReason, type RefusedVerdict, refuse } from './verdict.ts'

/** What one check found; it passed when there is no refusal. */
export interface CheckOutcome {
  readonly expected: string
  readonly received: string | null
  readonly refusal?: RefusalReason | undefined
}

/** Collects the checks of one verdict in order, for a token of the right form. The first refusal is the reason; `add` says whether to go on after each. */
export class CheckRecord {
  readonly checks: Check[] = [formatCheck()]
  readonly goesOnAfterRefusal: boolean
  refusal: RefusalReason | undefined

  constructor(goesOnAfterRefusal: boolean) {
    this.goesOnAfterRefusal = goesOnAfterRefusal
  }

  add(check: CheckName, { expected, received, refusal }: CheckOutcome): boolean {
    this.checks.push({ check, expected, received, pass: refusal === undefined })
    this.refusal ??= refusal
    return refusal === undefined || this.goesOnAfterRefusal
  }

  /** The refusal that was recorded. */
  refuse(): RefusedVerdict {
    if (this.refusal === undefined) throw new TypeError('nothing was refused')
    return refuse(this.refusal, this.checks)
  }
}

const FORMAT = 'a signed token: three parts of canonical base64url, header and claims one JSON object each'

/** The first check of every verdict; `fault` says what is wrong with the form. */
export function formatCheck(fault?: string): Check {
  return { check: 'format', expected: FORMAT, received: fault ?? 'as expected', pass: fault === undefined }
}
