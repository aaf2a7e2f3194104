import { CountersignError } from '../countersign-error.ts'

/** Larger than any response of the API that is not a stream. */
const MAX_BYTES = 32 * 1024 * 1024

/** Reads the body as text. Throws BAD_ANSWER above `maxBytes`. */
export async function readText(response: Response, maxBytes = MAX_BYTES): Promise<string> {
  if (!response.body) return ''
  const decoder = new TextDecoder()
  const reader = response.body.getReader()
  let length = 0
  let text = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    length += value.byteLength
    if (length > maxBytes) {
      await reader.cancel().catch(() => {})
      throw new CountersignError({
        code: 'BAD_ANSWER',
        status: response.status,
        message: `the response is longer than ${maxBytes} bytes`,
      })
    }
    text += decoder.decode(value, { stream: true })
  }
}

/** Undefined when the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Undefined when `value` is not an object with this own member. */
export function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as Record<string, unknown>)[name]
}

/** The member when it is a non-empty string. */
export function textOf(value: unknown, name: string): string | undefined {
  const member = memberOf(value, name)
  return typeof member === 'string' && member !== '' ? member : undefined
}
