import { exemptWords } from './exempt-words.ts'
import { refusedWords } from './refused-words.ts'

export type FoundWord = { line: number; word: string; name: string; instead: string }

// A phrase can go on in the next line of a comment or of an indented text.
const gap = '(?:\\s+(?:(?:\\*|//|#|>) *)?)'
const gaps = new RegExp(gap, 'g')
const groups = refusedWords.map(({ pattern }) => `(${pattern.replaceAll(/\((?!\?)/g, '(?:').replaceAll(' ', gap)})`)
const anyWord = new RegExp(`(?<![\\w$])(?:${groups.join('|')})(?![\\w$])`, 'gi')

/** Finds every refused word in a text, whole words in any case. `file` selects the exemptions. */
export function findWords(text: string, file?: string): FoundWord[] {
  const found: FoundWord[] = []
  const exempt = file === undefined ? [] : exemptWords.filter((exemption) => exemption.in.test(file))
  let line = 1
  let counted = 0
  for (const match of text.matchAll(anyWord)) {
    for (; counted < match.index; counted++) if (text.charCodeAt(counted) === 10) line++
    const rule = refusedWords[match.slice(1).findIndex((group) => group !== undefined)]
    if (!rule) continue
    const whole = lineAt(text, match.index)
    const isExempt = exempt.some(
      ({ word, text: pattern }) => (word === '*' || word === rule.name) && (!pattern || pattern.test(whole)),
    )
    if (isExempt) continue
    found.push({ line, word: match[0].replaceAll(gaps, ' '), name: rule.name, instead: rule.instead })
  }
  return found
}

function lineAt(text: string, index: number): string {
  const end = text.indexOf('\n', index)
  return text.slice(text.lastIndexOf('\n', index - 1) + 1, end === -1 ? undefined : end)
}
