/** Control characters of terminals (C0, DEL, C1) and the marks that reorder text. */
const UNPRINTABLE = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** One line that cannot steer a terminal, whoever wrote the text. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, ' ')
}

/** The value as one line of JSON that cannot steer a terminal either, with nothing lost. */
export function printableJson(value: unknown): string {
  return escapeUnprintable(JSON.stringify(value))
}

function escapeUnprintable(line: string): string {
  return line.replace(UNPRINTABLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** The same over several lines, for people. */
export function printableJsonLines(value: unknown): string[] {
  return JSON.stringify(value, null, 2).split('\n').map(escapeUnprintable)
}
