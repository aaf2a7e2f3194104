export const loadDemo = () => import('../dev/demo.ts')
