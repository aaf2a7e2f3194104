import { atMost, required } from '../../form/rules.ts'

const MAX_EMAIL = 256
const MAX_DESCRIPTION = 1024

/** As the server judges what is noted about an account. */
export const ACCOUNT_RULES = {
  name: required('The name'),
  contactEmail: (value: string) =>
    value === '' || value.includes('@') ? atMost(MAX_EMAIL)(value) : 'This is not an e-mail address',
  description: atMost(MAX_DESCRIPTION),
}
