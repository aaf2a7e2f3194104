import { type EnrollmentTicket, readEnrollmentTicket } from '@countersign/sdk'

/** The page that accepts invitations, below the console. It needs no session. */
const ACCEPT_PATH = '/console/enroll'

/**
 * The link that an administrator gives to the invited person. The token is in the fragment, which browsers do not send: it appears in no log
 * of a server or proxy.
 */
export function invitationLink(origin: string, jwt: string): string {
  return `${origin}${ACCEPT_PATH}#${new URLSearchParams({ token: jwt })}`
}

/** An invitation as the link has it. Nothing is verified: the server decides. */
export interface Invitation extends EnrollmentTicket {
  readonly jwt: string
}

/** Reads the fragment of an invitation link; undefined when it has no token. */
export function readInvitation(fragment: string): Invitation | undefined {
  const jwt = new URLSearchParams(fragment.replace(/^#/, '')).get('token') ?? ''
  try {
    return { ...readEnrollmentTicket(jwt), jwt }
  } catch {
    return undefined
  }
}
