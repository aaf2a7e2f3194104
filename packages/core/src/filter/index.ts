/** The filter language of lists, for packages that need nothing else of the rules. */
export { compareRows, evaluate } from './evaluate.ts'
export type { FilterOptions, SymbolType } from './filter.ts'
export { resolvePaging } from './paging.ts'
