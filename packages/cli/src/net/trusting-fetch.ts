import { createNodeFetch } from '@countersign/sdk/node'

/** Whom a connection trusts, and what it shows of itself. */
export interface Trust {
  /** The controller; only there is the client certificate shown, and only `caPem` trusted. */
  readonly origin: string
  /** What the controller's certificate must lead to; unset: what this machine trusts anyway. */
  readonly caPem?: string | undefined
  readonly certPem?: string | undefined
  readonly keyPem?: string | undefined
}

/**
 * Creates a `fetch` that trusts the controller by its own CA; providers are trusted by what this machine trusts besides. It
 * never follows a redirect, so that credentials stay where they were meant to go. There is no way to check less.
 */
export function createTrustingFetch({ origin, caPem, certPem, keyPem }: Trust): typeof globalThis.fetch {
  const toController = createNodeFetch({ ca: caPem, onlyCa: true, cert: certPem, key: keyPem })
  const elsewhere = createNodeFetch({ ca: caPem })
  return (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input)
    return (url.origin === origin ? toController : elsewhere)(url, init)
  }
}
