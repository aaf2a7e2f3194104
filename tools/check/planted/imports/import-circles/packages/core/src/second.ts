import type { Third } from './third.ts'

export const second: Third = 2
