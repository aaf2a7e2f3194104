import '@countersign/server'
import type { Stats } from 'node:fs'
import { other } from '../../server/src/other.ts'
import './circle.ts'

export type Leak = Stats
export const leak = other
