import type { HostedError } from '../hosted/error.ts'

export type AnyError = HostedError
