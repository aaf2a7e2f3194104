import { second } from './second.ts'

export type First = number
export const first = second
