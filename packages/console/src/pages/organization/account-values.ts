import { atMost, required } from '../../form/rules.ts'

const MAX_EMAIL = 256
const MAX_DESCRIPTION = 1024

export const ACCOUNT_RULES = {
  name: required('The name'),
  contactEmail: (value: string) =>
    value === '' || value.includes('@') ? atMost(MAX_EMAIL)(value) : 'This is not an e-mail address',
  description: atMost(MAX_DESCRIPTION),
}
