/** Nobody reads this. */
export const first = 1
/** A comment that goes on: they let
 * in a caller. */
export const second = 2
export const third = 'it answers'
export const findObstacle = 4
