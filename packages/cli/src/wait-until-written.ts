import type { Writable } from 'node:stream'

/** Resolves when the reader of a pipe has taken all that was written: exiting before would cut it off. A closed pipe takes nothing more. */
export async function waitUntilWritten(stream: Writable): Promise<void> {
  if (stream.destroyed || stream.writableLength === 0) return
  await new Promise<void>((resolve) => stream.write('', () => resolve()))
}
