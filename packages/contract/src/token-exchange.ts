/** The grant and token types of RFC 8693. */
export const TOKEN_EXCHANGE_GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange'
export const JWT_TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:jwt'
export const ACCESS_TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:access_token'
