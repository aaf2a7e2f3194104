import type { AnswerName } from '@countersign/contract'
import type { RouteNote } from '../pipeline/route-note.ts'

export type { AnswerShape } from '../pipeline/route-note.ts'
export type OperationNote = RouteNote

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
