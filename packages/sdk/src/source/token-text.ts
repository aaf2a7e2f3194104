import { CountersignError } from '../countersign-error.ts'

const TOKEN = /^[\x21-\x7e]+$/

/** Trims a token. Throws BAD_TOKEN when it is empty, or has white space or characters that no header can carry; never quotes it. */
export function parseTokenText(text: string, source: string): string {
  const token = text.trim()
  if (TOKEN.test(token)) return token
  throw new CountersignError({
    code: 'BAD_TOKEN',
    message: `${source}: there is no token`,
    hint: 'it must contain the token and nothing else',
  })
}
