import { useSyncExternalStore } from 'react'

let isLost = false
const listeners = new Set<() => void>()

/** Notes whether the last call was answered at all, for the banner that says so. */
export function noteAnswered(answered: boolean): void {
  if (isLost === !answered) return
  isLost = !answered
  for (const listener of listeners) listener()
}

function listen(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Whether the controller did not answer the last call. */
export function useConnectionLost(): boolean {
  return useSyncExternalStore(listen, () => isLost)
}
