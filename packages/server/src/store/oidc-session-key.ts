/** Shorter than every digest of a session token, so that no token has it. */
const PREFIX = 'oidc '

/** What sessions of the OpenID provider have in place of the digest of a session token: their tokens name them by id. */
export const oidcSessionKey = (sessionId: string): string => PREFIX + sessionId

export const isOidcSessionKey = (tokenDigest: string): boolean => tokenDigest.startsWith(PREFIX)

/** For `like`. */
export const OIDC_SESSION_KEYS = `${PREFIX}%`

const UUID_LENGTH = 36

/** Whether a session with this id is one of the OpenID provider: their ids are UUIDs, those of other sessions are shorter. */
export const isOidcSessionId = (id: string): boolean => id.length === UUID_LENGTH
