import assert from 'node:assert/strict'
import { join } from 'node:path'
import {
  type ControllerStage,
  makeTestCertificate,
  mintKeyFrom,
  mintToken,
  type PostgresServer,
  type ReadyController,
} from '@countersign/testkit'
import { SIGNERS } from '../start/signer-body.ts'

const ISSUER = 'https://nodes.example.test'
const AUDIENCE = 'nodes'
const PASSWORD = 'the password of all nodes'

/** Two nodes on one database, and tokens of a provider that they accept for enrollment and login. */
export interface Nodes {
  readonly one: ReadyController
  readonly two: ReadyController
  readonly admin: string
  token(subject: string): string
  /** Starts the first node again, on its data directory. */
  startOne(): Promise<ReadyController>
  /** Starts the second node again, on its data directory. */
  startTwo(): Promise<ReadyController>
  /** Starts another node, in its own directory. */
  startAnother(env: Readonly<Record<string, string>>): ReturnType<ControllerStage['launch']>
}

/** Starts two nodes that share a CA, with one signer that enrolls for token login. */
export async function startNodes(stage: ControllerStage, postgres: PostgresServer): Promise<Nodes> {
  const env = {
    COUNTERSIGN_DATABASE: await postgres.createDatabase(),
    COUNTERSIGN_ADMIN_PASSWORD: PASSWORD,
    COUNTERSIGN_SEALING_KEY: 'a5'.repeat(32),
    COUNTERSIGN_LIMITS_ADDRESS_BURST: '0',
    COUNTERSIGN_LOG_LEVEL: 'warn',
  }
  const start = (name: string) => stage.start({ env, dataDir: join(stage.folder, name) })
  const [one, two] = await Promise.all([start('one'), start('two')])
  const admin = await one.logIn(PASSWORD)
  const { pem, privateKey } = makeTestCertificate({ kind: 'ec256', commonName: 'provider' })
  const key = mintKeyFrom(privateKey, 'P-256', 'nodes')
  const body = {
    name: 'nodes',
    enabled: true,
    issuer: ISSUER,
    audience: AUDIENCE,
    certPem: pem,
    kid: key.kid,
    useExternalId: true,
    enrollToTokenEnabled: true,
  }
  const created = await one.request('POST', SIGNERS, { session: admin, body })
  assert.equal(created.status, 201, created.text)
  const exp = Math.floor(Date.now() / 1000) + 24 * 3600
  return {
    one,
    two,
    admin,
    token: (sub) => mintToken({ key, claims: { iss: ISSUER, aud: AUDIENCE, sub, exp } }),
    startOne: () => start('one'),
    startTwo: () => start('two'),
    startAnother: (changes) => stage.launch({ env: { ...env, ...changes }, dataDir: join(stage.folder, 'another') }),
  }
}
