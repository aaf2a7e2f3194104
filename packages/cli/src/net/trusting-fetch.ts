import { createDpopFetch, type DpopKey } from '@countersign/sdk'
import { createNodeFetch } from '@countersign/sdk/node'

/** The trusted CA and the client certificate of connections. */
export interface Trust {
  /** The controller. Only connections to it present the client certificate and trust `caPem`. */
  readonly origin: string
  /** The CA that the controller's certificate must chain to; unset: the CAs of this machine. */
  readonly caPem?: string | undefined
  readonly certPem?: string | undefined
  readonly keyPem?: string | undefined
  /** The key that requests prove possession of. */
  readonly dpop?: DpopKey | undefined
}

/**
 * Creates a `fetch` that trusts only `caPem` for the controller, and the CAs of this machine for other hosts (providers). It never follows
 * redirects, which could send credentials to another host. Verification cannot be disabled.
 */
export function createTrustingFetch({ origin, caPem, certPem, keyPem, dpop }: Trust): typeof globalThis.fetch {
  const toController = createNodeFetch({ ca: caPem, onlyCa: true, cert: certPem, key: keyPem })
  const elsewhere = createNodeFetch({})
  const trusting: typeof globalThis.fetch = (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input)
    return (url.origin === origin ? toController : elsewhere)(url, init)
  }
  return dpop ? createDpopFetch(dpop, trusting) : trusting
}
