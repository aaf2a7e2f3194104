export const MAX_LABELS = 50
export const OTHER = 'other'

/** Limits the values of a label: the first 50 are kept, all others become `other`. */
export class BoundedLabels {
  readonly #known = new Set<string>()

  of(value: string): string {
    if (this.#known.has(value)) return value
    if (this.#known.size >= MAX_LABELS) return OTHER
    this.#known.add(value)
    return value
  }
}
