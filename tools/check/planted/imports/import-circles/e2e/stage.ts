export const load = (step: string) => import(`./steps/${step}.ts`)
