/** How long a decision on a refused login can be looked up. */
export const DECISIONS_KEPT_MS = 86_400_000
