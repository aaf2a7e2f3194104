import type { ResponseName } from '@countersign/contract'
import type { ParameterName } from './parameters.ts'

/** The shape of a successful response: its envelope and the data in it. */
export type ResponseShape =
  | { readonly kind: 'one'; readonly of: ResponseName | 'text'; readonly status?: 201 }
  /** `whole` lists have no filter and no paging. */
  | { readonly kind: 'list'; readonly of: ResponseName | 'text'; readonly whole?: true }
  | { readonly kind: 'created' }
  | { readonly kind: 'done' }
  | { readonly kind: 'empty'; readonly status: number; readonly description: string }
  /** Not JSON: the media type is `produces` of the route. */
  | { readonly kind: 'other'; readonly description: string }

/** What the OpenAPI document says about a call, beside what it takes from the route. */
export interface RouteNote {
  /** One line, a verb first. */
  readonly summary: string
  readonly response: ResponseShape
  /** Parameters other than those of lists and paths. */
  readonly parameters?: readonly ParameterName[]
  readonly description?: string
  /** Whether a token of an identity provider can be the credential of the call. */
  readonly acceptsToken?: true
  /** Whether the call is refused without `If-Match`. */
  readonly requiresVersion?: true
  /** Whether a response of another media type is also served as JSON. */
  readonly isAlsoJson?: true
}

type Rest = Omit<RouteNote, 'summary' | 'response'>

/** Builds notes, by the kind of response. */
export const describe = {
  one: (of: ResponseName | 'text', summary: string, rest: Rest = {}): RouteNote => {
    return { summary, response: { kind: 'one', of }, ...rest }
  },
  list: (of: ResponseName | 'text', summary: string, rest: Rest = {}): RouteNote => {
    return { summary, response: { kind: 'list', of }, ...rest }
  },
  wholeList: (of: ResponseName | 'text', summary: string): RouteNote => {
    return { summary, response: { kind: 'list', of, whole: true } }
  },
  created: (summary: string, rest: Rest = {}): RouteNote => ({ summary, response: { kind: 'created' }, ...rest }),
  done: (summary: string, rest: Rest = {}): RouteNote => ({ summary, response: { kind: 'done' }, ...rest }),
  empty: (status: number, description: string, summary: string, rest: Rest = {}): RouteNote => {
    return { summary, response: { kind: 'empty', status, description }, ...rest }
  },
  other: (description: string, summary: string, rest: Rest = {}): RouteNote => {
    return { summary, response: { kind: 'other', description }, ...rest }
  },
}
