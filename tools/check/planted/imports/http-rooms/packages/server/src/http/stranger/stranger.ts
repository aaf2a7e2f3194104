export const stranger = 1
