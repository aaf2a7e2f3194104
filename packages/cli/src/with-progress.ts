import type { Terminal } from './terminal.ts'

const DELAY_MS = 1000

/** Waits for `work`, and prints `message` when it takes longer than a second. */
export async function withProgress<T>(terminal: Terminal, message: string, work: Promise<T>): Promise<T> {
  const timer = setTimeout(() => terminal.note(message), DELAY_MS)
  try {
    return await work
  } finally {
    clearTimeout(timer)
  }
}
