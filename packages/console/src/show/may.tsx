import type { ReactNode } from 'react'
import type { Need } from '../api/rights.ts'
import { type May as MayCall, useMay } from '../api/use-may.ts'

interface MayProps {
  readonly need: Need
  /** The identity that is changed. */
  readonly over?: Parameters<MayCall>[1]
  readonly children: ReactNode
}

/** Shows its content only to sessions that have what it needs. */
export function May({ need, over, children }: MayProps) {
  return useMay()(need, over) ? children : null
}
