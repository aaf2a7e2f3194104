import type { Transport } from '../http/transport.ts'

/** Credentials that the program or the user names. At most one is given. */
export interface NamedCredentials {
  /** A credentials file. */
  readonly credentialsFile?: string | undefined
  /** A file with an access token, read for each call. */
  readonly tokenFile?: string | undefined
  /** A command that prints an access token. It is run without a shell. */
  readonly tokenCommand?: string | undefined
}

/** What sources search in. */
export interface SourceContext {
  readonly options: NamedCredentials
  /** What the options are called in messages. */
  readonly optionNames: Readonly<Record<keyof NamedCredentials, string>>
  readonly env: Readonly<Record<string, string | undefined>>
  /** Whether the variables of existing tools count, `NETFOUNDRY_…`. */
  readonly withOtherTools: boolean
  /** The audience of tokens that are requested for this API: that of the organization. */
  readonly audience: string | undefined
  readonly transport: Transport
  readonly now: () => number
  readonly defaultFiles?: readonly string[] | undefined
  readonly kubernetesTokenFile?: string | undefined
}
