export * from './process/start.ts'
export * from './http/routes.ts'
