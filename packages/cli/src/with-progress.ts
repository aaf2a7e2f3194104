import type { Terminal } from './terminal.ts'

const PATIENCE_MS = 1000

/** Waits for the work, and says what is going on when it takes longer than a second. */
export async function withProgress<T>(terminal: Terminal, message: string, work: Promise<T>): Promise<T> {
  const timer = setTimeout(() => terminal.note(message), PATIENCE_MS)
  try {
    return await work
  } finally {
    clearTimeout(timer)
  }
}
