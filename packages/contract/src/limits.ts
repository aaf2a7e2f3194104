/** Limits shared by schemas, rules and the console. Separate from the schemas, which take memory to load. */
export const MAX_NAME_LENGTH = 256
export const MAX_ATTRIBUTES = 100
export const MAX_ATTRIBUTE_LENGTH = 128
export const MAX_SCOPES = 100
/** Of a token in a body. */
export const MAX_TOKEN_CHARACTERS = 12_288

/** Policies cannot allow shorter passwords. */
export const MIN_PASSWORD_LENGTH = 5
