/** `npm run soak [-- names] [--flags]`: runs the modules of e2e/soak/. */
import { runModules } from './run-modules.ts'

await runModules('e2e/soak', process.argv.slice(2))
