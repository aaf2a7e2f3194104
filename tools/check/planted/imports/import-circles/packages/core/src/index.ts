export { ownName } from './own-name.ts'
