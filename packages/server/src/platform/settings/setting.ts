/** A draft-07 JSON schema fragment. */
export type JsonSchema = { readonly [member: string]: unknown }

/** The outcome of reading a value: the typed value, or the part of it that was refused. */
export type Reading<V> = { readonly value: V } | { readonly refused: unknown }

/** One setting: how it is read, shown and documented. Where it may come from follows from its key, see setting-row.ts. */
export interface Setting<V> {
  /** What an acceptable value is, as in "must be …". */
  readonly expected: string
  readonly default: V
  readonly description: string
  /** What help calls the value of the flag, empty for a flag without one; null when there is no flag. */
  readonly flagValue: string | null
  /** `value`: never shown. `url`: a URL whose password is never shown. A secret is not echoed in a problem either. */
  readonly secret: 'no' | 'value' | 'url'
  /** True for lists: the flag may be given several times. */
  readonly repeatable: boolean
  /** True for flags that take no value. */
  readonly boolean: boolean
  readonly schema: JsonSchema
  /** Text of a flag or an environment variable as the file would hold it; text that does not fit comes back as it is. */
  fromText(text: string): unknown
  /** Reads a value as it stands in the file. */
  read(value: unknown): Reading<V>
  format(value: V): string
}

/** What every setting says about itself. */
export interface About {
  readonly description: string
  readonly flagValue?: string
}

export const SETTING_DEFAULTS = {
  secret: 'no',
  repeatable: false,
  boolean: false,
  fromText: (text: string): unknown => text,
} as const
