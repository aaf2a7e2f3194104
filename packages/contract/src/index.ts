/** Wire shapes, error codes and route names: one source for validation, OpenAPI and the SDK's types. */
export * from './auth-policy.ts'
export * from './authenticate.ts'
export * from './authenticator.ts'
export * from './body-members.ts'
export * from './error-codes.ts'
export * from './ext-jwt-signer.ts'
export * from './identity.ts'
export * from './permission.ts'
