/** A typed client of the Countersign APIs, on `fetch` alone. */
export { ApiError } from './api-error.ts'
export { ControllerClient, type ControllerClientOptions } from './controller-client.ts'
export type { ClientSigner, Signer, SignerInput } from './signer-types.ts'
