export const looser = 1
