import { constants } from 'node:crypto'
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'
import { createLruCache } from '@countersign/core'
import { OutboundError } from './outbound-error.ts'

const MAX_CONTEXTS = 256

/**
 * A renegotiation would parse other certificates than those that were checked. The prime of a server's own group takes seconds to use when it is
 * long; all servers have elliptic curves.
 */
const CLIENT_PROTOCOL = {
  minVersion: 'TLSv1.2',
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  ciphers: `${constants.defaultCoreCipherList}:!kDHE`,
} as const

let systemRoots: readonly string[] | undefined

/** The roots of Node, of NODE_EXTRA_CA_CERTS and of the operating system. Read once, because it takes 100 ms. */
function loadSystemRoots(): readonly string[] {
  systemRoots ??= [...new Set([...getCACertificates('default'), ...getCACertificates('system')])]
  return systemRoots
}

/** Returns TLS contexts that trust the system roots and, optionally, one more CA. Contexts are cached per CA. */
export function createTrustedRoots(): (caPem: string | undefined) => SecureContext {
  const contexts = createLruCache<string, SecureContext>(MAX_CONTEXTS)
  return (caPem = '') => {
    const known = contexts.get(caPem)
    if (known) return known
    const made = makeContext(caPem)
    contexts.set(caPem, made)
    return made
  }
}

function makeContext(caPem: string): SecureContext {
  const ca = [...loadSystemRoots(), ...(caPem === '' ? [] : [caPem])]
  try {
    return createSecureContext({ ca, ...CLIENT_PROTOCOL })
  } catch (error) {
    throw new OutboundError('tls', 'the CA certificate of the signer cannot be read', { cause: error })
  }
}
