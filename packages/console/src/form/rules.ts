/** The rules of the server that can be told before sending; each gives a sentence, or null where all is well. */
type Rule = (value: string) => string | null

export const MAX_NAME = 256
export const MAX_TEXT = 1024

export const required =
  (what: string, max = MAX_NAME): Rule =>
  (value) => {
    if (value.trim() === '') return `${what} is required`
    return value.length > max ? `${what} may have ${max} characters` : null
  }

export const atMost =
  (max: number): Rule =>
  (value) =>
    value.length > max ? `At most ${max} characters` : null

/** What a number field holds; it is a text while it is empty. */
export const wholeNumber =
  (min: number, max: number) =>
  (value: unknown): string | null =>
    Number.isInteger(value) && Number(value) >= min && Number(value) <= max
      ? null
      : `A whole number from ${min} to ${max}`

/** Addresses are https, or http on this machine. */
export const httpsAddress =
  (isRequired: boolean): Rule =>
  (value) => {
    if (value === '') return isRequired ? 'An address is required' : null
    const url = URL.parse(value)
    if (!url) return 'This is not an absolute address, such as https://login.example'
    const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
    return url.protocol === 'https:' || (url.protocol === 'http:' && isLocal) ? null : 'The address must be https'
  }
