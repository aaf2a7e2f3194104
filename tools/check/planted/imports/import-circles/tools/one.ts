export const load = () => import('./two.ts')
