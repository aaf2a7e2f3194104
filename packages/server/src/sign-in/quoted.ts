import { echoedValue, hasTreacherousCharacter } from '@countersign/core'

/** A name or a claim inside a sentence: in quotes, cut, with nothing invisible or misleading in it. */
export function quoted(text: string): string {
  const written = JSON.stringify(echoedValue(text).toWellFormed())
  if (!hasTreacherousCharacter(written)) return written
  const spelled = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
  return [...written].map((character) => (hasTreacherousCharacter(character) ? spelled(character) : character)).join('')
}
