/** The description of a resource: its members, and the schemas derived from them. */
export * from './field.ts'
export * from './resource.ts'
export { isSecurityMember } from './security-member.ts'
export * from './separate-words.ts'
