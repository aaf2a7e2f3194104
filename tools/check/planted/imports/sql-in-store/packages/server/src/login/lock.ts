export const load = () => import('node:sqlite')
