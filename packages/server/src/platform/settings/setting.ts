/** A draft-07 JSON schema fragment. */
export type JsonSchema = { readonly [member: string]: unknown }

/** The typed value, or the part of the input that was refused. */
export type Reading<V> = { readonly value: V } | { readonly refused: unknown }

/** One setting: how it is read, shown and documented. Its names are derived from its key, see setting-row.ts. */
export interface Setting<V> {
  /** Follows "must be" in error texts. */
  readonly expected: string
  readonly default: V
  readonly description: string
  /** The placeholder of the flag's value in help; empty for a flag without a value, null when there is no flag. */
  readonly flagValue: string | null
  /** `value`: never shown. `url`: a URL whose password is never shown. Errors do not echo secrets either. */
  readonly secret: 'no' | 'value' | 'url'
  /** Whether the flag may be repeated. */
  readonly repeatable: boolean
  /** Whether the flag takes no value. */
  readonly boolean: boolean
  readonly schema: JsonSchema
  /** Converts the text of a flag or environment variable to the form of the file; invalid text is returned unchanged. */
  fromText(text: string): unknown
  /** Reads a value in the form of the file. */
  read(value: unknown): Reading<V>
  format(value: V): string
}

export interface SettingInfo {
  readonly description: string
  readonly flagValue?: string
}

export const SETTING_DEFAULTS = {
  secret: 'no',
  repeatable: false,
  boolean: false,
  fromText: (text: string): unknown => text,
} as const
