/** The result of one check of `doctor`. */
export interface Finding {
  readonly check: string
  readonly ok: boolean
  readonly says: string
  readonly hint?: string | undefined
}
