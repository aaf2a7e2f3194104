/** How long the decision on a refused login stays readable. */
export const DECISION_RETENTION_MS = 86_400_000
