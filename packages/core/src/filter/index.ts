/** The filter language of lists, also for packages that need nothing else of the rules. */
export * from './evaluate.ts'
export * from './filter.ts'
export { filterCost } from './filter-cost.ts'
export * from './paging.ts'
export { parseFilter } from './parse.ts'
export { parseDatetime } from './parse-datetime.ts'
export { parseSort } from './parse-sort.ts'
