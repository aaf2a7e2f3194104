/** Control characters (C0, DEL, C1) and bidirectional marks. */
const UNPRINTABLE = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** Replaces control characters, so that untrusted text cannot control the terminal. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, ' ')
}

/** Like `printable`, without runs of white space: on a terminal that wraps lines, they could imitate further rows. */
export function printableLine(text: string): string {
  return printable(text).replaceAll(BLANKS, ' ').trim()
}

/** White space, and the Braille pattern without dots. */
const BLANKS = /[\s\u2800]+/g
const MAX_SHORT = 64

/** Like `printableLine`, of bounded length: for a text whose writer could imitate the line above it. */
export function shortLine(text: string): string {
  const line = printableLine(text)
  return line.length > MAX_SHORT ? `${line.slice(0, MAX_SHORT)}…` : line
}

/** One line of JSON with control characters escaped, so that it is lossless and safe to print. */
export function printableJson(value: unknown): string {
  return escapeUnprintable(JSON.stringify(value))
}

function escapeUnprintable(line: string): string {
  return line.replace(UNPRINTABLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Like `printableJson`, but indented. */
export function printableJsonLines(value: unknown): string[] {
  return JSON.stringify(value, null, 2).split('\n').map(escapeUnprintable)
}
