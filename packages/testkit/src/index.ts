/** What the tests share and the product never ships: certificates, tokens and a real PostgreSQL. */
export * from './certificates.ts'
export * from './postgres.ts'
export * from './token-mint.ts'
