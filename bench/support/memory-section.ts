import type { Column, Measure, Row } from '../report/result.ts'
import { memoryMibOf } from './server-process.ts'
import type { Target } from './target.ts'

export const MEMORY_COLUMNS: readonly Column[] = [{ key: 'mib', title: 'MiB', digits: 0 }]

/** What a server holds now, beside what the bare one holds. */
export function measureMemory(
  name: string,
  { product, bare }: Readonly<Record<'product' | 'bare', Target>>,
  mostMib?: number,
): Row {
  const mib: Measure = { value: memoryMibOf(product.pid), bare: memoryMibOf(bare.pid) }
  return { name, measures: { mib: mostMib === undefined ? mib : { ...mib, aim: { atMost: mostMib } } } }
}
