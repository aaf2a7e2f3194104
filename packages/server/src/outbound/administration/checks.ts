import { OutboundError } from '../outbound-error.ts'
import { AdministrationError } from './administration-request.ts'
import type { AdministrationCheck } from './provider-administration.ts'

interface Probe {
  readonly name: string
  /** The permission that is missing when the provider refuses. */
  readonly permission?: string
  /** Statuses or codes of a refusal that prove the permission: what was asked for does not exist, for example. */
  readonly isGranted?: (error: AdministrationError) => boolean
  run(): Promise<unknown>
}

const FORBIDDEN: readonly (number | undefined)[] = [401, 403]

/** Tries one thing at a provider. */
export async function probe({ name, permission, isGranted, run }: Probe): Promise<AdministrationCheck> {
  try {
    await run()
    return passed(name)
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    if (error instanceof AdministrationError && isGranted?.(error)) return passed(name)
    const isForbidden = FORBIDDEN.includes(error.status) || isDenied(error)
    if (permission === undefined || !isForbidden) return { name, ok: false, message: error.tenantMessage }
    return missing(name, permission)
  }
}

export function passed(name: string): AdministrationCheck {
  return { name, ok: true, message: 'works' }
}

export function missing(name: string, permission: string): AdministrationCheck {
  return { name, ok: false, missing: permission, message: `the permission ${permission} is missing at the provider` }
}

export function failed(name: string, message: string): AdministrationCheck {
  return { name, ok: false, message }
}

/** Amazon refuses with HTTP 400 and a code. */
function isDenied(error: OutboundError): boolean {
  return error instanceof AdministrationError && error.code === 'AccessDeniedException'
}
