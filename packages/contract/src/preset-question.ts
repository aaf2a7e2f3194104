/** What a preset needs to know about one installation of an identity provider. */
export interface PresetQuestion<Name extends string = string> {
  /** In camel case; a flag of the command derives from it. */
  readonly name: Name
  readonly label: string
  /** Where the administrator finds the value. */
  readonly help: string
  /** A value of the right form, as a placeholder. */
  readonly example: string
  /** The value when none is given. Empty: the question is optional. Without it, a value is required. */
  readonly default?: string
  /** The only values, where the provider has a fixed number. */
  readonly choices?: readonly string[]
  readonly form: ValueForm
}

/** How a value is read: the value as the signer needs it, or why it is refused. */
export type ValueForm = (value: string) => { readonly value: string } | { readonly reason: string }

const refuse = (reason: string) => ({ reason })

/** Characters that no issuer may have, beside those that URLs exclude. */
const FORBIDDEN = /["|,\\\s]/
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])
const MAX_VALUE_LENGTH = 1024
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused.
const CONTROL = /[\u0000-\u001f\u007f]/

/** Any text of one line. */
export const textForm: ValueForm = (value) => {
  if (CONTROL.test(value)) return refuse('must not have control characters')
  return value.length > MAX_VALUE_LENGTH ? refuse(`must have at most ${MAX_VALUE_LENGTH} characters`) : { value }
}

/** A UUID. Providers write it in lower case in their tokens. */
export const uuidForm: ValueForm = (value) =>
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)
    ? { value: value.toLowerCase() }
    : refuse('must be a UUID such as 23f45e36-2ae6-4434-b116-25c66c27168d')

/** A host name. A pasted `https://` and slash are removed. */
export const hostForm: ValueForm = (value) => {
  const host = value.replace(/^https:\/\//i, '').replace(/\/$/, '')
  return /^(?=.{4,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/i.test(host)
    ? { value: host.toLowerCase() }
    : refuse('must be a host name such as login.example.com, without a path')
}

/** One segment of a path. */
export const segmentForm: ValueForm = (value) =>
  /^[\w.~-]{1,128}$/.test(value) ? { value } : refuse('must consist of letters, digits, dots, hyphens and underscores')

/** Groups or folders with slashes between them. */
export const pathForm: ValueForm = (value) =>
  /^[\w.-]+(\/[\w.-]+)*$/.test(value) && value.length <= MAX_VALUE_LENGTH
    ? { value }
    : refuse('must be a path such as acme/platform, without a slash at its ends')

/** An https URL without query and fragment; http on the local machine. */
export const urlForm: ValueForm = (value) => {
  const url = FORBIDDEN.test(value) ? null : URL.parse(value)
  if (url === null) return refuse('must be a URL such as https://login.example.com')
  const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.has(url.hostname))
  if (!isSafe) return refuse('must begin with https://')
  if (/[?#@]/.test(value)) return refuse('must have no user name, query or fragment')
  return value.length > MAX_VALUE_LENGTH ? refuse(`must have at most ${MAX_VALUE_LENGTH} characters`) : { value }
}

/** A URL to which a path is appended: a slash at its end is removed. */
export const baseUrlForm: ValueForm = (value) => {
  const read = urlForm(value)
  return 'value' in read ? { value: read.value.replace(/\/+$/, '') } : read
}
