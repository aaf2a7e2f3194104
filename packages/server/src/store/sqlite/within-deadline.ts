/** A function of the reader threads, without arguments: true, or an error once the read has taken too long. */
export const WITHIN_DEADLINE = 'within_deadline'
