/** `npm run bench [-- names] [--flags]`: runs the modules of bench/. */
import { runModules } from './run-modules.ts'

await runModules('bench', process.argv.slice(2))
