export const MANAGEMENT = '/edge/management/v1'
export const CLIENT = '/edge/client/v1'

export const SIGNERS = `${MANAGEMENT}/ext-jwt-signers`
export const POLICIES = `${MANAGEMENT}/auth-policies`
export const IDENTITIES = `${MANAGEMENT}/identities`
export const AUTHENTICATORS = `${MANAGEMENT}/authenticators`
export const ENROLLMENTS = `${MANAGEMENT}/enrollments`
export const API_SESSIONS = `${MANAGEMENT}/api-sessions`
export const DECISIONS = `${MANAGEMENT}/auth-decisions`
export const EVENTS = `${MANAGEMENT}/events`
export const SUMMARY = `${MANAGEMENT}/summary`
export const CURRENT_SESSION = `${MANAGEMENT}/current-api-session`
export const CURRENT_IDENTITY = `${MANAGEMENT}/current-identity`
export const CONSOLE_SESSION = '/console/session'

export const NETWORKS = '/core/v3/networks'
export const PROVIDERS = '/identity/v1/identity-providers'
export const ACCOUNTS = '/identity/v1/api-account-identities'

/** The path of one object in a collection, whatever its id is made of. */
export const one = (collection: string, id: string): string => `${collection}/${encodeURIComponent(id)}`
