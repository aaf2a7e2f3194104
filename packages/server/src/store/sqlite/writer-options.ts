/** What the writer thread is started with. */
export interface WriterOptions {
  readonly file: string
  /** Other processes write to the same file. */
  readonly isShared?: boolean
  /** Makes every commit this slow, so that tests can show that readers do not wait for it. */
  readonly artificialCommitMs?: number
  /** After so long without a write, the sessions that are not indexed by identity yet are. */
  readonly idleMs?: number
}
