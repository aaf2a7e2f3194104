import { useQuery } from '@tanstack/react-query'
import { meets, type Need, type ShownHolder } from './rights.ts'
import { currentIdentityQuery } from './session.ts'

/** Whether the current session has what is needed. True while its rights are unknown: the server decides in any case. */
export type May = (need: Need, over?: ShownHolder) => boolean

/** The rights of the current session. The layout of the pages has loaded them. */
export function useMay(): May {
  const { data: caller } = useQuery({ ...currentIdentityQuery, enabled: false })
  return (need, over) => caller === undefined || meets(caller, need, over)
}
