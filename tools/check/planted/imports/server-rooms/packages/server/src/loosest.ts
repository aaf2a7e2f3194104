export const loosest = 1
