import Type from '../schema/type.ts'
import { base, instant, map, nullable, strings } from './response-members.ts'

const text = () => Type.String()

const Version = Type.Object({
  version: text(),
  revision: text(),
  buildDate: text(),
  runtimeVersion: text(),
  capabilities: strings(),
  apiVersions: map(map(Type.Object({ path: text(), apiBaseUrls: strings() }))),
  countersign: Type.Object({ version: text() }),
})

const Controller = Type.Object({
  ...base,
  name: text(),
  certPem: text(),
  fingerprint: text(),
  isOnline: Type.Boolean(),
  lastJoinedAt: instant(),
  ctrlAddress: nullable(text()),
  apiAddresses: map(Type.Array(Type.Object({ url: text(), version: text() }))),
})

const Protocols = Type.Object({ https: Type.Object({ address: text() }) })

const NetworkJwt = Type.Object({ name: text(), token: text() })

const Specification = Type.Object({ ...base, name: text() })

const Summary = map(Type.Integer())

const Enrolled = Type.Object({
  cert: Type.Optional(text()),
  ca: Type.Optional(text()),
  controllers: Type.Array(Controller),
  identityId: Type.Optional(text()),
  username: Type.Optional(text()),
})

export const INFORMATION_RESPONSES = { Version, Controller, Protocols, NetworkJwt, Specification, Summary, Enrolled }
