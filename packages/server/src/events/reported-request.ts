/** What events say of the request behind a login or an enrollment. */
export interface ReportedRequest {
  readonly id: string
  /** With the port, where it is known. */
  readonly remoteAddr: string
}
