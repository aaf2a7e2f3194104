import { exemptWords } from './exempt-words.ts'
import { type RefusedWord, refusedNames, refusedWords } from './refused-words.ts'

export type FoundWord = { line: number; word: string; name: string; instead: string }

// A phrase can go on in the next line of a comment or of an indented text.
const gap = '(?:\\s+(?:(?:\\*|//|#|>) *)?)'
const gaps = new RegExp(gap, 'g')
const anyWord = new RegExp(`(?<![\\w$])(?:${anyOf(refusedWords)})(?![\\w$])`, 'gi')
const anyName = new RegExp(anyOf(refusedNames), 'g')

/** Finds every refused word, whole and in any case, and every name with a refused part. `file` selects the exemptions. */
export function findWords(text: string, file?: string): FoundWord[] {
  const exempt = file === undefined ? [] : exemptWords.filter((exemption) => exemption.in.test(file))
  return [...text.matchAll(anyWord), ...text.matchAll(anyName)]
    .map((match) => ({ match, rule: findRule(match) }))
    .filter(({ match, rule }) => {
      const line = lineAt(text, match.index)
      return !exempt.some((one) => (one.word === '*' || one.word === rule.name) && (one.text?.test(line) ?? true))
    })
    .sort((a, b) => a.match.index - b.match.index)
    .map(({ match, rule: { name, instead } }) => ({
      line: text.slice(0, match.index).split('\n').length,
      word: wholeWord(text, match).replaceAll(gaps, ' '),
      name,
      instead,
    }))
}

/** One pattern for all of them, with a group for each. */
function anyOf(rules: RefusedWord[]): string {
  return rules.map(({ name, pattern }) => `(?<${groupOf(name)}>${pattern.replaceAll(' ', gap)})`).join('|')
}

function findRule(match: RegExpExecArray): RefusedWord {
  const all = [...refusedWords, ...refusedNames]
  const rule = all.find(({ name }) => match.groups?.[groupOf(name)] !== undefined)
  if (!rule) throw new Error(`no rule for "${match[0]}"`)
  return rule
}

/** The match with the letters around it, which a name has. */
function wholeWord(text: string, { 0: part, index }: RegExpExecArray): string {
  const before = /[\w$]*$/.exec(text.slice(Math.max(0, index - 64), index))?.[0] ?? ''
  const after = /^[\w$]*/.exec(text.slice(index + part.length, index + part.length + 64))?.[0] ?? ''
  return before + part + after
}

function groupOf(name: string): string {
  return name.replaceAll(' ', '_')
}

function lineAt(text: string, index: number): string {
  const end = text.indexOf('\n', index)
  return text.slice(text.lastIndexOf('\n', index - 1) + 1, end === -1 ? undefined : end)
}
