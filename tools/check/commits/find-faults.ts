import { findWords } from '../words/find-words.ts'
import type { Commit } from './read-commits.ts'

const maxLength = 72
const shape = /^[a-z][\w./-]*(?:, [a-z][\w./-]*)*: (?<what>\S.*)$/

/** Beginnings that are no imperative. */
const statements = new Set(
  'the a an this that these it its now new no not more all some every when what how'.split(' '),
)
/** Imperatives that look like another form of a verb. */
const imperatives = new Set('embed exceed feed need proceed seed shed speed bring ping string alias bias'.split(' '))
/** First words of a clause, to tell `move x, drop y and add z` from `move x, y and z`. */
const verbs = new Set(
  `accept add admit allow apply authorise avoid bind bring build bump cache call change check choose clear close collect compare
  compute count cover create cut declare delete derive describe disable document drop embed enable end ensure enforce explain
  export extend extract fail fetch file find fix fold format generate give handle hide hold import include index inline keep
  let limit list load log make mark mend merge move name note open parse pass pin point prefer prevent print prune publish put
  raise read record refuse release remove rename replace report require reset resolve restore return reuse rewrite run say seal
  send serve set share show shorten skip sort split start state stop store support take tell test tighten trace trust turn
  unify update use validate verify wait walk warn write`.split(/\s+/),
)

/** Lists what is wrong with the message of a commit. */
export function findFaults({ subject, body }: Commit): string[] {
  const what = shape.exec(subject)?.groups?.what
  const words = [...findWords(subject), ...findWords(body)]
  return [
    ...(what === undefined ? ['the subject is not "area: what changes"'] : findSubjectFaults(what)),
    ...(subject.length > maxLength ? [`the subject has ${subject.length} characters, at most ${maxLength}`] : []),
    ...words.map(({ word, instead }) => `"${word}", write: ${instead}`),
  ]
}

function findSubjectFaults(what: string): string[] {
  const first = what.split(' ', 1)[0] ?? ''
  return [
    ...(isImperative(first) ? [] : [`the subject does not begin with an imperative: "${first}"`]),
    ...(what.endsWith('.') ? ['the subject ends with a period'] : []),
    ...(isList(what) ? ['the subject is a list: split the commit, or name what its changes have in common'] : []),
  ]
}

function isImperative(word: string): boolean {
  if (imperatives.has(word)) return true
  return /^[a-z][a-z-]*$/.test(word) && !statements.has(word) && !/(?:ed|ing|[^su]s)$/.test(word)
}

/** Three clauses and more, or four parts of any kind. */
function isList(what: string): boolean {
  const parts = what.split(/; |, and |, | and /)
  const clauses = parts.slice(1).filter((part) => verbs.has(part.split(' ', 1)[0] ?? ''))
  return what.includes(';') || parts.length > 3 || clauses.length > 1
}
