/** A person who can log in at the local provider. */
export interface Person {
  /** `sub` of the tokens. */
  readonly id: string
  readonly name: string
  readonly email: string
  readonly groups: readonly string[]
  /** Whether the first start creates an identity. Without one, the person can enroll with a token. */
  readonly hasIdentity: boolean
  readonly about: string
}

/** The people for tests and demos. None is an administrator. */
export const PEOPLE: readonly Person[] = [
  {
    id: 'alice',
    name: 'Alice Archer',
    email: 'alice@example.com',
    groups: ['engineering'],
    hasIdentity: true,
    about: 'Engineering',
  },
  { id: 'bob', name: 'Bob Baker', email: 'bob@example.com', groups: ['sales'], hasIdentity: true, about: 'Sales' },
  {
    id: 'carol',
    name: 'Carol Cooper',
    email: 'carol@example.com',
    groups: ['operations'],
    hasIdentity: true,
    about: 'Operations',
  },
  {
    id: 'dave',
    name: 'Dave Dyer',
    email: 'dave@example.com',
    groups: ['contractors'],
    hasIdentity: false,
    about: 'New: has no identity until enrolled',
  },
]

export function findPerson(id: unknown): Person | undefined {
  return PEOPLE.find((person) => person.id === id)
}

/** The claims about a person, besides `sub`. */
export function personClaims({ name, email, groups, id }: Person): Readonly<Record<string, unknown>> {
  return { name, preferred_username: id, email, email_verified: true, groups }
}
