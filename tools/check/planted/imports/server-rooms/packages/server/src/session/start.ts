export const started = true
