import { AppError } from '@countersign/core'
import { OutboundError, type OutboundReason } from '../../outbound/outbound-error.ts'
import { StartupError } from '../../platform/startup-error.ts'
import { fromSentError, toSentError } from '../../store/sqlite/writer-messages.ts'

/** An error in a message between processes, which cannot carry class instances. */
export type SentProcessError =
  | { readonly kind: 'startup'; readonly message: string; readonly hint: string | undefined }
  | {
      readonly kind: 'outbound'
      readonly reason: OutboundReason
      readonly message: string
      readonly tenantMessage: string
      readonly status: number | undefined
    }
  | { readonly kind: 'system'; readonly message: string; readonly code: string }
  | { readonly kind: 'other'; readonly error: ReturnType<typeof toSentError> }

export function toProcessError(error: unknown): SentProcessError {
  if (error instanceof StartupError) return { kind: 'startup', message: error.message, hint: error.hint }
  if (error instanceof OutboundError) {
    const { reason, message, tenantMessage, status } = error
    return { kind: 'outbound', reason, message, tenantMessage, status }
  }
  const code = systemCode(error)
  if (code !== undefined) return { kind: 'system', message: String(error), code }
  return { kind: 'other', error: toSentError(error) }
}

export function fromProcessError(sent: SentProcessError): Error {
  if (sent.kind === 'startup') return new StartupError(sent.message, sent.hint)
  if (sent.kind === 'outbound') {
    const { reason, message, tenantMessage, status } = sent
    return new OutboundError(reason, message, { tenantMessage, ...(status !== undefined && { status }) })
  }
  if (sent.kind === 'system') return Object.assign(new Error(sent.message), { code: sent.code })
  return fromSentError(sent.error)
}

/** The code of an error of the operating system, such as ENOSPC. */
function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('syscall' in error)) return undefined
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/** The error of a call whose process ended before it returned. */
export function processEnded(): AppError {
  return new AppError('STORE_UNAVAILABLE', undefined, { cause: new Error('the other process has ended') })
}
