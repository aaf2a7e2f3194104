import { AccountJob } from '../hosted/account-job.ts'
import { AdministrationTest } from '../hosted/administration.ts'
import { API_ACCOUNT, IDENTITY_PROVIDER, NETWORK, ORGANIZATION } from '../hosted/organization.ts'
import Type from '../schema/type.ts'

/** The settings of a resource in responses of the hosted API. Each view adds the other members that existing clients expect. */
export const HOSTED_RESPONSES = {
  OrganizationSettings: Type.Object(ORGANIZATION.response),
  ProviderSettings: Type.Object(IDENTITY_PROVIDER.response),
  AccountSettings: Type.Object(API_ACCOUNT.response),
  AdministrationTest,
  AccountJob,
  NetworkSettings: Type.Object(NETWORK.response),
}
