import type { AnswerName } from '@countersign/contract'
import type { ParameterName } from './parameters.ts'

/** What the answer of a call looks like: its envelope, and what is in it. */
export type AnswerShape =
  | { readonly kind: 'one'; readonly of: AnswerName | 'text'; readonly status?: 201 }
  /** `whole` lists have neither filters nor pages. */
  | { readonly kind: 'list'; readonly of: AnswerName | 'text'; readonly whole?: true }
  | { readonly kind: 'created' }
  | { readonly kind: 'done' }
  /** Not JSON: the media type is in the route. */
  | { readonly kind: 'other'; readonly what: string }

/** What the OpenAPI document says of a call beside what its row says. */
export interface RouteNote {
  /** One line, a verb first. */
  readonly summary: string
  readonly answer: AnswerShape
  /** Parameters beside those of lists and paths. */
  readonly parameters?: readonly ParameterName[]
  readonly more?: string
  /** Whether a token of a provider may be the credential of the call. */
  readonly takesToken?: true
}

type Rest = Omit<RouteNote, 'summary' | 'answer'>

/** Builds the notes of rows by what they answer. */
export const describe = {
  one: (of: AnswerName | 'text', summary: string, rest: Rest = {}): RouteNote => {
    return { summary, answer: { kind: 'one', of }, ...rest }
  },
  list: (of: AnswerName | 'text', summary: string, rest: Rest = {}): RouteNote => {
    return { summary, answer: { kind: 'list', of }, ...rest }
  },
  wholeList: (of: AnswerName | 'text', summary: string): RouteNote => {
    return { summary, answer: { kind: 'list', of, whole: true } }
  },
  created: (summary: string, rest: Rest = {}): RouteNote => ({ summary, answer: { kind: 'created' }, ...rest }),
  done: (summary: string, rest: Rest = {}): RouteNote => ({ summary, answer: { kind: 'done' }, ...rest }),
  other: (what: string, summary: string, rest: Rest = {}): RouteNote => {
    return { summary, answer: { kind: 'other', what }, ...rest }
  },
}
