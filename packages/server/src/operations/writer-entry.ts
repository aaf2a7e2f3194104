/** The entry file of the embedded database's writer thread. */
export const WRITER_ENTRY = new URL('./writer.ts', import.meta.url)
