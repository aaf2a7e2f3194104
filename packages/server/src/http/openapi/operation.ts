import type { AnswerName } from '@countersign/contract'

/** What the answer of a call looks like: its envelope, and what is in it. */
export type AnswerShape =
  | { readonly kind: 'one'; readonly of: AnswerName | 'text'; readonly status?: 201 }
  /** `whole` lists have neither filters nor pages. */
  | { readonly kind: 'list'; readonly of: AnswerName | 'text'; readonly whole?: true }
  | { readonly kind: 'created' }
  | { readonly kind: 'done' }
  /** Not JSON: the media type is in the route. */
  | { readonly kind: 'other'; readonly what: string }

/** What the description says of a call besides what its route says. */
export interface OperationNote {
  /** One line, a verb first. */
  readonly summary: string
  readonly answer: AnswerShape
  /** Parameters by their names in parameters.ts, beside those of lists and paths. */
  readonly parameters?: readonly string[]
  readonly more?: string
  /** Whether a token of a provider may be the credential of the call. */
  readonly takesToken?: true
}

export const one = (of: AnswerName | 'text', summary: string, rest: Partial<OperationNote> = {}): OperationNote => {
  return { summary, answer: { kind: 'one', of }, ...rest }
}

export const list = (of: AnswerName | 'text', summary: string, rest: Partial<OperationNote> = {}): OperationNote => {
  return { summary, answer: { kind: 'list', of }, ...rest }
}

export const wholeList = (of: AnswerName | 'text', summary: string): OperationNote => {
  return { summary, answer: { kind: 'list', of, whole: true } }
}

export const created = (summary: string, rest: Partial<OperationNote> = {}): OperationNote => {
  return { summary, answer: { kind: 'created' }, ...rest }
}

export const done = (summary: string, rest: Partial<OperationNote> = {}): OperationNote => {
  return { summary, answer: { kind: 'done' }, ...rest }
}

/** The six calls of a collection. `noun` has its article: "an identity". */
export function resource(path: string, of: AnswerName, noun: string, plural: string): Record<string, OperationNote> {
  return {
    [`GET ${path}`]: list(of, `List ${plural}`),
    [`POST ${path}`]: created(`Create ${noun}`),
    [`GET ${path}/:id`]: one(of, `Get ${noun}`),
    [`PUT ${path}/:id`]: done(`Replace ${noun}`, { parameters: ['ifMatch'] }),
    [`PATCH ${path}/:id`]: done(`Change the members of ${noun} that are given`, { parameters: ['ifMatch'] }),
    [`DELETE ${path}/:id`]: done(`Delete ${noun}`, { parameters: ['ifMatch'] }),
  }
}
