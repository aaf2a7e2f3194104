import '../../platform/clock.ts'

export type HostedError = Error
