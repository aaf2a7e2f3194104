import { type About, type Reading, SETTING_DEFAULTS, type Setting } from './setting.ts'

interface IntegerAbout extends About {
  readonly default: number
  readonly min: number
  readonly max: number
}

/** A whole number within bounds. */
export function integer(about: IntegerAbout): Setting<number> {
  const { min, max } = about
  return {
    ...SETTING_DEFAULTS,
    expected: min === max ? `${min}` : `a whole number from ${min} to ${max}`,
    default: about.default,
    description: about.description,
    flagValue: about.flagValue ?? null,
    schema: { type: 'integer', minimum: min, maximum: max },
    fromText: (text) => (/^-?[0-9]{1,15}$/.test(text) ? Number(text) : text),
    read: (value) => (isIntegerWithin(value, min, max) ? { value } : { refused: value }),
    format: String,
  }
}

/** A whole number within bounds, or the word `auto`. */
export function integerOrAuto(about: IntegerAbout): Setting<number | 'auto'> {
  const number = integer(about)
  return {
    ...number,
    expected: `auto or ${number.expected}`,
    schema: { anyOf: [number.schema, { enum: ['auto'] }] },
    read: (value) => (value === 'auto' ? { value } : number.read(value)),
    format: String,
  }
}

/** A duration in whole seconds; its key ends in `Seconds`. */
export function seconds(about: IntegerAbout): Setting<number> {
  return { ...integer(about), expected: `a whole number of seconds from ${about.min} to ${about.max}` }
}

/** On or off. On the command line `--name` and `--no-name`. */
export function toggle(about: About & { readonly default: boolean }): Setting<boolean> {
  return {
    ...SETTING_DEFAULTS,
    expected: 'true or false',
    default: about.default,
    description: about.description,
    flagValue: about.flagValue ?? null,
    boolean: true,
    schema: { type: 'boolean' },
    fromText: (text) => (text === 'true' ? true : text === 'false' ? false : text),
    read: (value) => (typeof value === 'boolean' ? { value } : { refused: value }),
    format: String,
  }
}

/** One of a few words. */
export function choice<const W extends string>(
  words: readonly W[],
  about: About & { readonly default: NoInfer<W> },
): Setting<W> {
  return {
    ...SETTING_DEFAULTS,
    expected: `one of ${words.join(', ')}`,
    default: about.default,
    description: about.description,
    flagValue: about.flagValue ?? null,
    schema: { enum: words },
    read: (value) => {
      const word = words.find((candidate) => candidate === value)
      return word === undefined ? { refused: value } : { value: word }
    },
    format: (value) => value,
  }
}

interface TextAbout extends About {
  readonly expected: string
  readonly maxLength: number
  readonly minLength?: number
  readonly secret?: 'value' | 'url'
  /** A further condition; control characters are refused before it is asked. */
  readonly accepts?: (text: string) => boolean
}

/** A line of text that always has a value. */
export function text(about: TextAbout & { readonly default: string }): Setting<string> {
  return { ...textRules(about), default: about.default, format: (value) => value }
}

/** A line of text that may be unset; unset is null. */
export function optionalText(about: TextAbout): Setting<string | null> {
  return { ...textRules(about), default: null, format: (value) => value ?? '(unset)' }
}

function textRules(about: TextAbout) {
  const minLength = about.minLength ?? 1
  const accepts = about.accepts ?? (() => true)
  const read = (value: unknown): Reading<string> =>
    isLine(value) && value.length >= minLength && value.length <= about.maxLength && accepts(value)
      ? { value }
      : { refused: value }
  return {
    ...SETTING_DEFAULTS,
    expected: about.expected,
    description: about.description,
    flagValue: about.flagValue ?? null,
    secret: about.secret ?? ('no' as const),
    schema: { type: 'string', minLength, maxLength: about.maxLength },
    read,
  }
}

function isIntegerWithin(value: unknown, min: number, max: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
}

function isLine(value: unknown): value is string {
  return typeof value === 'string' && !/\p{Cc}/u.test(value)
}
