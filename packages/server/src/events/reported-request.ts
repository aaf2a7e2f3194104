/** The request of a login or enrollment, as events report it. */
export interface ReportedRequest {
  readonly id: string
  /** With the port, if known. */
  readonly remoteAddr: string
}
