/** Validates like the server. Returns an error text, or null when the value is valid. */
type Rule = (value: string) => string | null

export const MAX_NAME = 256
export const MAX_TEXT = 1024

export const required =
  (what: string, max = MAX_NAME): Rule =>
  (value) => {
    if (value.trim() === '') return `${what} is required`
    return value.length > max ? `${what} may have at most ${max} characters` : null
  }

export const atMost =
  (max: number): Rule =>
  (value) =>
    value.length > max ? `At most ${max} characters` : null

/** For number fields, whose value is '' while they are empty. */
export const wholeNumber =
  (min: number, max: number) =>
  (value: unknown): string | null =>
    Number.isInteger(value) && Number(value) >= min && Number(value) <= max
      ? null
      : `A whole number from ${min} to ${max}`

/** https, or http on localhost. */
export const httpsUrl =
  (isRequired: boolean): Rule =>
  (value) => {
    if (value === '') return isRequired ? 'A URL is required' : null
    const url = URL.parse(value)
    if (!url) return 'Enter an absolute URL, such as https://login.example'
    const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
    return url.protocol === 'https:' || (url.protocol === 'http:' && isLocal) ? null : 'The URL must use https'
  }
