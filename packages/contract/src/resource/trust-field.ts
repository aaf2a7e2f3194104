import { instant, nullable } from '../responses/response-members.ts'
import Type from '../schema/type.ts'
import { field } from './field.ts'
import { OTHER_MEMBERS } from './security-member.ts'

const EXCEPTIONS = OTHER_MEMBERS.map((name) => `\`${name}\``)
  .join(', ')
  .replace(/, (?=[^,]*$)/, ' and ')

export const TRUST_STATES = ['trusted', 'untrusted'] as const

/** Whether an administrator vouches for an entity that logs identities in. */
export const trustField = (noun = 'signer') =>
  field(
    Type.Object({
      state: Type.Enum([...TRUST_STATES]),
      writtenBy: nullable(Type.Object({ id: Type.String(), name: Type.String() })),
      writtenAt: instant(),
    }),
    {
      description: `Whether an administrator wrote the security members last, or trusts them; every member is one except ${EXCEPTIONS}. An untrusted ${noun} logs in no identity that is an administrator or holds permissions${noun === 'signer' ? ', and offers no login in a browser' : ''}`,
      readOnly: true,
    },
  )
