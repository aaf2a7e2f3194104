export const MAX_LABELS = 50
export const OTHER = 'other'

/** Values of a label, each as it is until there are too many of them; the rest together are `other`. */
export class BoundedLabels {
  readonly #known = new Set<string>()

  of(value: string): string {
    if (this.#known.has(value)) return value
    if (this.#known.size >= MAX_LABELS) return OTHER
    this.#known.add(value)
    return value
  }
}
