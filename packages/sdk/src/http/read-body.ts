import { CountersignError } from '../countersign-error.ts'

/** More than any answer of the API that is not a stream. */
const MAX_BYTES = 32 * 1024 * 1024

/** The text of an answer, if it is not longer than it may be. */
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
        message: `the answer is longer than ${maxBytes} bytes`,
      })
    }
    text += decoder.decode(value, { stream: true })
  }
}

/** The text as a JSON object or array, or undefined. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A member of an unknown value, if that is an object that has it. */
export function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as Record<string, unknown>)[name]
}

/** A member that is text. */
export function textOf(value: unknown, name: string): string | undefined {
  const member = memberOf(value, name)
  return typeof member === 'string' && member !== '' ? member : undefined
}
