/** One description per resource: its members with their notes, and what is derived from them. */
export * from './field.ts'
export * from './resource.ts'
export * from './separate-words.ts'
