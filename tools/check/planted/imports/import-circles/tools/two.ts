import type { load } from './one.ts'

export type Load = typeof load
