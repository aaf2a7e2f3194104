import { type Reading, SETTING_DEFAULTS, type Setting, type SettingInfo } from './setting.ts'

interface IntegerInfo extends SettingInfo {
  readonly default: number
  readonly min: number
  readonly max: number
}

/** A whole number within bounds. */
export function integer(info: IntegerInfo): Setting<number> {
  const { min, max } = info
  return {
    ...SETTING_DEFAULTS,
    expected: min === max ? `${min}` : `a whole number from ${min} to ${max}`,
    default: info.default,
    description: info.description,
    flagValue: info.flagValue ?? null,
    schema: { type: 'integer', minimum: min, maximum: max },
    fromText: (text) => (/^-?[0-9]{1,15}$/.test(text) ? Number(text) : text),
    read: (value) => (isIntegerWithin(value, min, max) ? { value } : { refused: value }),
    format: String,
  }
}

/** A whole number within bounds, or the word `auto`. */
export function integerOrAuto(info: IntegerInfo): Setting<number | 'auto'> {
  const number = integer(info)
  return {
    ...number,
    expected: `auto or ${number.expected}`,
    schema: { anyOf: [number.schema, { enum: ['auto'] }] },
    read: (value) => (value === 'auto' ? { value } : number.read(value)),
    format: String,
  }
}

/** A duration in whole seconds. Its key must end in `Seconds`. */
export function seconds(info: IntegerInfo): Setting<number> {
  return { ...integer(info), expected: `a whole number of seconds from ${info.min} to ${info.max}` }
}

/** A boolean; on the command line `--name` and `--no-name`. */
export function toggle(info: SettingInfo & { readonly default: boolean }): Setting<boolean> {
  return {
    ...SETTING_DEFAULTS,
    expected: 'true or false',
    default: info.default,
    description: info.description,
    flagValue: info.flagValue ?? null,
    boolean: true,
    schema: { type: 'boolean' },
    fromText: (text) => (text === 'true' ? true : text === 'false' ? false : text),
    read: (value) => (typeof value === 'boolean' ? { value } : { refused: value }),
    format: String,
  }
}

/** An enumeration. */
export function choice<const W extends string>(
  words: readonly W[],
  info: SettingInfo & { readonly default: NoInfer<W> },
): Setting<W> {
  return {
    ...SETTING_DEFAULTS,
    expected: `one of ${words.join(', ')}`,
    default: info.default,
    description: info.description,
    flagValue: info.flagValue ?? null,
    schema: { enum: words },
    read: (value) => {
      const word = words.find((candidate) => candidate === value)
      return word === undefined ? { refused: value } : { value: word }
    },
    format: (value) => value,
  }
}

interface TextInfo extends SettingInfo {
  readonly expected: string
  readonly maxLength: number
  readonly minLength?: number
  readonly secret?: 'value' | 'url'
  /** An additional condition; text with control characters is refused before. */
  readonly accepts?: (text: string) => boolean
}

/** A required line of text. */
export function text(info: TextInfo & { readonly default: string }): Setting<string> {
  return { ...textRules(info), default: info.default, format: (value) => value }
}

/** An optional line of text; null when unset. */
export function optionalText(info: TextInfo): Setting<string | null> {
  return { ...textRules(info), default: null, format: (value) => value ?? '(unset)' }
}

function textRules(info: TextInfo) {
  const minLength = info.minLength ?? 1
  const accepts = info.accepts ?? (() => true)
  const read = (value: unknown): Reading<string> =>
    isLine(value) && value.length >= minLength && value.length <= info.maxLength && accepts(value)
      ? { value }
      : { refused: value }
  return {
    ...SETTING_DEFAULTS,
    expected: info.expected,
    description: info.description,
    flagValue: info.flagValue ?? null,
    secret: info.secret ?? ('no' as const),
    schema: { type: 'string', minLength, maxLength: info.maxLength },
    read,
  }
}

function isIntegerWithin(value: unknown, min: number, max: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
}

function isLine(value: unknown): value is string {
  return typeof value === 'string' && !/\p{Cc}/u.test(value)
}
