/** The file, and how long a read may take. */
export interface ReaderOptions {
  readonly file: string
  readonly deadlineMs: number
}

export interface ToReader {
  readonly sql: string
  readonly parameters: readonly unknown[]
}

export type FromReader =
  | { readonly rows: readonly unknown[] }
  | { readonly isLate: true }
  /** `errcode` is SQLite's. */
  | { readonly error: { readonly message: string; readonly code: unknown; readonly errcode: unknown } }
