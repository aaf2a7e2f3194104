/** A word that comments, docs, texts and commits do not use, as the source of a pattern, with what to write instead. */
export type RefusedWord = { name: string; pattern: string; instead: string }

const people = 'the caller, the administrator, the client, they'

/**
 * The language rules of CONTRIBUTING as a table. Words that also have a technical meaning (way, door, told apart) are left
 * to the reviewer, unless the other meaning is rare.
 */
export const refusedWords: RefusedWord[] = [
  { name: 'nobody', pattern: 'nobody', instead: 'no caller, none, never' },
  { name: 'somebody', pattern: 'somebody', instead: people },
  { name: 'whoever', pattern: 'whoever', instead: 'a caller who, anyone who' },
  { name: 'he', pattern: 'he', instead: people },
  { name: 'his', pattern: 'his', instead: 'their, its' },
  { name: 'him', pattern: 'him', instead: people },
  { name: 'himself', pattern: 'himself', instead: 'themselves, itself' },
  { name: 'dear', pattern: 'dear(?:er|est)?', instead: 'expensive' },
  { name: 'told', pattern: 'told', instead: 'reported, published, logged, returned' },
  { name: 'answers', pattern: 'answers', instead: 'returns, responds, responses' },
  { name: 'let in', pattern: 'lets? in', instead: 'logs in, accepts' },
  { name: 'who may', pattern: 'who may', instead: 'which callers can' },
  { name: 'by whom', pattern: 'by whom|by-whom', instead: 'the actor' },
  { name: 'so long', pattern: 'so long', instead: 'as long as, for this time' },
  { name: 'sign in', pattern: 'sign-ins?|sign(?:s|ed|ing)? in', instead: 'login, log in' },
  { name: 'judgement', pattern: 'judge?ments?', instead: 'verdict' },
  { name: 'obstacle', pattern: 'obstacles?', instead: 'refusal' },
]

/** Parts of names in code, in this spelling. */
export const refusedNames: RefusedWord[] = [
  { name: 'SignIn', pattern: '(?:(?<!\\w)s|S)ign(?:s|ed)?Ins?(?![a-z])', instead: 'Login, LoggedIn' },
  { name: 'Judgement', pattern: '(?<=[a-z])Judge?ment|[Jj]udge?ments?(?=[A-Z])', instead: 'Verdict' },
  { name: 'Obstacle', pattern: '(?<=[a-z])Obstacle|[Oo]bstacles?(?=[A-Z])', instead: 'Refusal' },
  { name: 'ByWhom', pattern: '(?:(?<!\\w)b|B)yWhom', instead: 'Actor' },
]
