import { type Check, type CheckName, type RefusalReason, RefusedVerdict } from './verdict.ts'

/** A text, or a function that builds it on demand: most verdicts are never displayed. */
type LazyText<Kind> = Kind | (() => Kind)

/** The result of one check, which passed when there is no refusal. */
export interface CheckResult {
  readonly expected: LazyText<string>
  readonly received: LazyText<string | null>
  readonly refusal?: RefusalReason | undefined
}

/** Collects the checks of one verdict in order, for a well-formed token. The first refusal is the verdict's reason. */
export class CheckRecord {
  readonly #results: [CheckName, CheckResult][] = []
  readonly continueAfterRefusal: boolean
  refusal: RefusalReason | undefined

  constructor(continueAfterRefusal: boolean) {
    this.continueAfterRefusal = continueAfterRefusal
  }

  /** Returns whether to run the next check. */
  add(check: CheckName, result: CheckResult): boolean {
    this.#results.push([check, result])
    this.refusal ??= result.refusal
    return result.refusal === undefined || this.continueAfterRefusal
  }

  get checks(): Check[] {
    return [formatCheck(), ...this.#results.map(([check, result]) => describeCheck(check, result))]
  }

  /** The verdict for the recorded refusal. Throws when every check passed. */
  refuse(): RefusedVerdict {
    if (this.refusal === undefined) throw new TypeError('every check passed')
    return new RefusedVerdict(this.refusal, () => this.checks)
  }
}

export function describeCheck(check: CheckName, { expected, received, refusal }: CheckResult): Check {
  return { check, expected: resolveText(expected), received: resolveText(received), pass: refusal === undefined }
}

function resolveText<Kind extends string | null>(text: LazyText<Kind>): Kind {
  return typeof text === 'function' ? text() : text
}

/** The verdict on a text that is no token for its purpose. */
export function refuseUnreadable({ reason, detail }: { reason: RefusalReason; detail: string }): RefusedVerdict {
  return new RefusedVerdict(reason, () => [formatCheck(detail)])
}

const FORMAT = 'a signed token: three parts of canonical base64url, header and claims one JSON object each'

/** The first check of every verdict. `fault` describes why the token is malformed. */
export function formatCheck(fault?: string): Check {
  return { check: 'format', expected: FORMAT, received: fault ?? 'as expected', pass: fault === undefined }
}
