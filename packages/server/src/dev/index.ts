/** The local identity provider and demo data. Loaded only with `--dev`. */
export { ensureDemoData } from './demo-data.ts'
export { type LocalProvider, startLocalProvider } from './local-provider.ts'
export type { DeliverMessage } from './provider-messages.ts'
export type { SendScim } from './provider-scim.ts'
export { registerLocally } from './register-locally.ts'
