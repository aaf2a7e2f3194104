import '../http/routes.ts'
import '../platform/clock.ts'

export const startDev = () => import('../dev/demo.ts')
