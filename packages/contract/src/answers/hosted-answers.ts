import { API_ACCOUNT, IDENTITY_PROVIDER, NETWORK, ORGANIZATION } from '../hosted/organization.ts'
import Type from '../schema/type.ts'

/** What answers of the hosted API hold of a resource. The rest has the form that existing clients know, and is each view's own. */
export const HOSTED_ANSWERS = {
  OrganizationSettings: Type.Object(ORGANIZATION.answer),
  ProviderSettings: Type.Object(IDENTITY_PROVIDER.answer),
  AccountSettings: Type.Object(API_ACCOUNT.answer),
  NetworkSettings: Type.Object(NETWORK.answer),
}
