/** What a controller with `--dev` has beside itself. Loaded only then. */
export { ensureDemoData } from './demo-data.ts'
export { type LocalProvider, startLocalProvider } from './local-provider.ts'
