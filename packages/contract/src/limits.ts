/** Limits shared by schemas, rules and the console. Separate from the schemas, which take memory to load. */
export const MAX_NAME_LENGTH = 256
export const MAX_ATTRIBUTES = 100
export const MAX_ATTRIBUTE_LENGTH = 128
export const MAX_SCOPES = 100
/** Of a token in a body. */
export const MAX_TOKEN_CHARACTERS = 12_288

/** Policies cannot allow shorter passwords. */
export const MIN_PASSWORD_LENGTH = 5
/** What the console and the command suggest for a new policy. */
export const SUGGESTED_PASSWORD_LENGTH = 8
export const MAX_PASSWORD_LENGTH = 100

/** Of a rule, in bytes. */
export const MAX_RULE_LENGTH = 4096
export const MAX_ATTRIBUTE_RULES = 16
