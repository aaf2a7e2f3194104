/** The hidden first word with which the scripts of `countersign completion` ask for candidates. */
export const COMPLETE_WORD = '__complete'

/** The shells with a script. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]
