import type { Column, Measure, Row } from '../report/result.ts'
import type { MeasuredServer } from './measured-server.ts'
import { memoryMibOf } from './server-process.ts'

export const MEMORY_COLUMNS: readonly Column[] = [{ key: 'mib', title: 'MiB', digits: 0 }]

/** Measures the resident memory of the product and the bare server. */
export function measureMemory(
  name: string,
  { product, bare }: Readonly<Record<'product' | 'bare', MeasuredServer>>,
  maxMib?: number,
): Row {
  const mib: Measure = { value: memoryMibOf(product.pid), bare: memoryMibOf(bare.pid) }
  return { name, measures: { mib: maxMib === undefined ? mib : { ...mib, target: { atMost: maxMib } } } }
}
