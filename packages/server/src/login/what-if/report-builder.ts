import type { WhatIfReport } from '@countersign/contract/what-if'
import { hasRights } from '@countersign/core'
import type { StoredIdentity } from '../../store/identity-row.ts'
import type { KeptLogin } from '../../store/kept-login.ts'
import type { Prediction } from './predict-login.ts'
import type { PredictedSession, SessionPrediction } from './predict-session.ts'

type Settled = Exclude<Prediction, { outcome: 'provisioned' }>
type Named = Pick<StoredIdentity, 'id' | 'name'>

/** A list whose entries are named once each. */
class Entries<Entry> {
  readonly #entries = new Map<string, Entry>()

  add(key: readonly unknown[], entry: Entry): void {
    const text = JSON.stringify(key)
    if (!this.#entries.has(text)) this.#entries.set(text, entry)
  }

  get all(): Entry[] {
    return [...this.#entries.values()]
  }
}

/** Who asks for a prediction. */
export interface Viewer {
  readonly id: string
  /** Whether the viewer may read everything, and so the decisions about logins. */
  readonly readsAll: boolean
}

const NOT_SHOWN =
  'what holds for administrators, identities with permissions and unknown subjects is shown only to callers that may read everything'
const NO_CLAIMS_SHOWN = 'the claims of the login are shown only to callers that may read everything'

/**
 * Collects the differences between two predictions of each login and session. A change can be made up such that its prediction tells a claim of a login: a
 * viewer that may not read decisions learns no more than by saving the change, which needs trust for identities with rights.
 */
export class ReportBuilder {
  readonly #viewer: Viewer
  readonly #refused = new Entries<WhatIfReport['refused'][number]>()
  readonly #accepted = new Entries<WhatIfReport['accepted'][number]>()
  readonly #attributes = new Entries<WhatIfReport['attributes'][number]>()
  readonly #factors = new Entries<WhatIfReport['factors'][number]>()
  readonly #unknown = new Entries<WhatIfReport['unknown'][number]>()
  #evaluated = 0
  #unchanged = 0
  #sessionsEnded = 0

  constructor(viewer: Viewer) {
    this.#viewer = viewer
  }

  /** Notes the attributes of an identity that is changed itself. */
  noteIdentity(was: StoredIdentity | undefined, would: StoredIdentity | undefined): void {
    if (was && would) this.#noteAttributes(would, was.attributes, would.attributes)
  }

  /** Notes a login or session that no change concerns. */
  noteUntouched(): void {
    this.#evaluated++
    this.#unchanged++
  }

  noteLogin(was: Settled, would: Settled, { signerId }: KeptLogin, known: StoredIdentity | undefined): void {
    this.#evaluated++
    const unknown = would.outcome === 'unknown' ? would : was.outcome === 'unknown' ? was : undefined
    const named = [identityOf(was), identityOf(would), known].filter((identity) => identity !== undefined)
    if (unknown) this.#noteUnknown(known, signerId, unknown.text)
    else if (!this.#isShown(named)) this.#noteUnknown(known, signerId, NOT_SHOWN)
    else if (!this.#noteOutcomes(was, would)) this.#unchanged++
  }

  #isShown(identities: readonly StoredIdentity[]): boolean {
    const { id: own, readsAll } = this.#viewer
    if (readsAll) return true
    const isOpen = (identity: StoredIdentity) => identity.id !== '' && (!hasRights(identity) || identity.id === own)
    return identities.length > 0 && identities.every(isOpen)
  }

  #noteUnknown(known: Named | undefined, signerId: string | null, text: string): void {
    const identity = known ? referenceOf(known) : null
    this.#unknown.add([identity, signerId, text], { identity, signerId, text })
  }

  /** Returns whether anything differs. */
  #noteOutcomes(was: Settled, would: Settled): boolean {
    if (was.outcome === 'accepted' && would.outcome === 'refused') {
      const text = this.#viewer.readsAll ? would.text : NO_CLAIMS_SHOWN
      this.#noteRefused(was.identity, would.signerId, would.reason, text)
      return true
    }
    if (would.outcome !== 'accepted') return false
    const { identity, signerId } = would
    if (was.outcome !== 'accepted' || was.identity.id !== identity.id) {
      if (was.outcome === 'accepted') {
        this.#noteRefused(was.identity, signerId, 'unknown-identity', 'the token names another identity')
      }
      this.#accepted.add([identity.id, identity.name, signerId], { identity: referenceOf(identity), signerId })
      return true
    }
    const hasOtherAttributes = this.#noteAttributes(identity, was.attributes, would.attributes)
    return this.#noteFactors(identity, was.missing, would.missing) || hasOtherAttributes || was.signerId !== signerId
  }

  /** `dependsOnClaims`: the prediction can depend on the claims of the login that opened the session. */
  noteSession(
    was: SessionPrediction,
    would: SessionPrediction,
    { signerId, dependsOnClaims }: Pick<PredictedSession, 'signerId'> & { readonly dependsOnClaims: boolean },
    identity: StoredIdentity | undefined,
  ): void {
    // Its end is not written yet.
    if (!was.isLive || !identity) return
    this.#evaluated++
    if (dependsOnClaims && !this.#isShown([identity])) {
      this.#noteUnknown(identity, signerId, NOT_SHOWN)
    } else if (would.isLive) {
      const needsFactors = this.#noteFactors(identity, was.missing, would.missing)
      const unknown = would.unknown ?? was.unknown
      if (unknown !== undefined) this.#noteUnknown(identity, signerId, unknown)
      else if (!needsFactors) this.#unchanged++
    } else {
      this.#sessionsEnded++
      if (would.isLoginLost) this.#noteRefused(identity, signerId, would.reason, would.text)
    }
  }

  #noteRefused(identity: Named, signerId: string | null, reason: string, text: string): void {
    this.#refused.add([identity.id, signerId, reason], { identity: referenceOf(identity), signerId, reason, text })
  }

  #noteAttributes(identity: Named, was: readonly string[], would: readonly string[]): boolean {
    const added = would.filter((attribute) => !was.includes(attribute))
    const removed = was.filter((attribute) => !would.includes(attribute))
    if (added.length === 0 && removed.length === 0) return false
    this.#attributes.add([identity.id, added, removed], { identity: referenceOf(identity), added, removed })
    return true
  }

  #noteFactors(identity: Named, was: readonly string[], would: readonly string[]): boolean {
    const missing = would.filter((factor) => !was.includes(factor))
    if (missing.length > 0) this.#factors.add([identity.id, missing], { identity: referenceOf(identity), missing })
    return missing.length > 0
  }

  build(): WhatIfReport {
    return {
      evaluated: this.#evaluated,
      unchanged: this.#unchanged,
      refused: this.#refused.all,
      accepted: this.#accepted.all,
      attributes: this.#attributes.all,
      factors: this.#factors.all,
      unknown: this.#unknown.all,
      sessionsEnded: this.#sessionsEnded,
    }
  }
}

function identityOf(prediction: Settled): StoredIdentity | undefined {
  return 'identity' in prediction ? prediction.identity : undefined
}

/** An identity that does not exist yet has no id. */
function referenceOf({ id, name }: Named) {
  return { id: id === '' ? null : id, name }
}
