/** Control characters (C0, DEL, C1), line separators, and what is invisible: bidirectional marks, zero-width characters, annotations. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu

/** Whether a line of the text has unprintable characters. */
export function hasUnprintable(text: string): boolean {
  return text.split('\n').some((line) => printable(line) !== line)
}

/** Replaces unprintable characters, so that untrusted text can neither control the terminal nor look like another text. */
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

/** Escapes unprintable characters in a line of JSON, or of YAML in double quotes. */
export function escapeUnprintable(line: string): string {
  return line.replace(UNPRINTABLE, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}

/** Like `printableJson`, but indented. */
export function printableJsonLines(value: unknown): string[] {
  return JSON.stringify(value, null, 2).split('\n').map(escapeUnprintable)
}
