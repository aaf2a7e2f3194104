export const BASE = '/'
