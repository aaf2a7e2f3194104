/** Options of the writer thread. */
export interface WriterOptions {
  readonly file: string
  /** Whether other processes write to the same file. */
  readonly isShared?: boolean
  /** Delays every commit, so that tests can show that readers do not wait for it. */
  readonly artificialCommitMs?: number
}
