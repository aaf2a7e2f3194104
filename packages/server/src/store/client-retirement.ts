/**
 * The `retires_at` of a client whose sessions have ended. It is retired for every node and every request under way, whatever their clocks say.
 */
export const LONG_AGO = 0
