import type { Call } from './call.ts'
import type { RouteResponse } from './route.ts'

/** The response to `If-None-Match` with the version that the caller has (RFC 9110 section 13.1.2); undefined when it has another. */
export function findNotModified(
  call: Pick<Call, 'untrustedHead'>,
  headers: Readonly<Record<string, string>> & { readonly etag: string },
): RouteResponse | undefined {
  const versions = call.untrustedHead.headers['if-none-match']?.split(',') ?? []
  const isCurrent = versions
    .map((version) => version.trim().replace(/^W\//, ''))
    .some((version) => version === '*' || version === headers.etag)
  return isCurrent ? { status: 304, headers } : undefined
}
