import { fieldError } from '../app-error.ts'

/**
 * Characters that make two texts look alike or a line of log look like two: C0 and C1 controls, line and paragraph
 * separators, zero-width and bidirectional controls, and unpaired surrogates.
 */
function isTreacherous(codePoint: number): boolean {
  return (
    codePoint < 0x20 ||
    (codePoint >= 0x7f && codePoint <= 0x9f) ||
    codePoint === 0x061c ||
    (codePoint >= 0x200b && codePoint <= 0x200f) ||
    (codePoint >= 0x2028 && codePoint <= 0x202e) ||
    (codePoint >= 0x2060 && codePoint <= 0x206f) ||
    codePoint === 0xfeff ||
    (codePoint >= 0xfff9 && codePoint <= 0xfffb) ||
    (codePoint >= 0xd800 && codePoint <= 0xdfff)
  )
}

export function hasTreacherousCharacter(text: string): boolean {
  for (const character of text) if (isTreacherous(character.codePointAt(0) ?? 0)) return true
  return false
}

/** Text that people will read and machines will compare byte by byte: nothing in it may be invisible. */
export function checkPlainText(field: string, text: string): void {
  if (hasTreacherousCharacter(text)) {
    throw fieldError(field, `${field} may not contain control, zero-width or bidirectional characters`, '')
  }
}
