import '@countersign/server'
import type { Stats } from 'node:fs'
import '@countersign/contract'
import 'node:crypto'
import { other } from '../../server/src/other.ts'

export type Leak = Stats
export const leak = other
