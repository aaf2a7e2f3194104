/** The intersection of the members of a union. */
export type IntersectionOf<Union> = (Union extends unknown ? (one: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never
