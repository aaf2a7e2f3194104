import { useSyncExternalStore } from 'react'

let isLost = false
const listeners = new Set<() => void>()

/** Records whether the last call got a response. */
export function setReachable(isReachable: boolean): void {
  if (isLost === !isReachable) return
  isLost = !isReachable
  for (const listener of listeners) listener()
}

function listen(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Whether the last call got no response. */
export function useConnectionLost(): boolean {
  return useSyncExternalStore(listen, () => isLost)
}
