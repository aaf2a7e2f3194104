/** A certificate whose private key the client proved to hold in the TLS handshake. Not checked yet. */
export interface PresentedCertificate {
  /** DER. The first certificate sent, and the only one whose key was proven. */
  readonly leaf: Buffer
  /** DER. The certificates sent after the leaf. A resumed connection has none. */
  readonly sent: readonly Buffer[]
  /** Whether this connection resumes an earlier one that proved the key. */
  readonly isResumed: boolean
  /** The connection, for what is remembered as long as it is open. */
  readonly connection?: object
}
