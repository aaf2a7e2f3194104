import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, test } from 'node:test'
import { StartupError } from '../../src/platform/startup-error.ts'
import { initial } from '../../src/store/migrations/initial/initial.ts'
import { SCHEMA_VERSION } from '../../src/store/migrations/migrate.ts'
import { type Migration, POSTGRES_TYPES, SQLITE_TYPES } from '../../src/store/migrations/migration.ts'
import { MIGRATIONS } from '../../src/store/migrations/migrations.ts'
import { scim } from '../../src/store/migrations/scim.ts'
import { UNRELEASED_STEPS } from '../../src/store/migrations/unreleased-steps.ts'
import { type EmptyDatabase, makeEmptyDatabase } from './empty-database.ts'
import { DATABASES, stopPostgres } from './open-test-stores.ts'
import { sampleRows } from './sample-rows.ts'

after(stopPostgres)

const STEPS = 'select version, name, applied_at from schema_migrations order by version'

const isStarred: Migration = {
  version: SCHEMA_VERSION + 1,
  name: 'starred-identities',
  statements: ({ bool, no }) => [`alter table identities add column is_starred ${bool} not null default ${no}`],
}
const notes: Migration = {
  version: SCHEMA_VERSION + 2,
  name: 'notes',
  statements: ({ text }) => [`create table notes (id ${text} primary key, note ${text} not null)`],
}
const broken: Migration = { ...notes, name: 'broken', statements: () => ['alter table missing add column id text'] }

const LATER = [...MIGRATIONS, isStarred, notes]

/** Reads the steps. PostgreSQL and SQLite return different types for numbers. */
async function readSteps(database: EmptyDatabase) {
  const rows = await database.run(STEPS)
  return rows.map(({ version, name, applied_at }) => [Number(version), name, Number(applied_at)])
}

const firstSteps = MIGRATIONS.map(({ version, name }) => [version, name, 1])

test('versions count from one, and no step has the name of an unreleased one', () => {
  assert.deepEqual(
    MIGRATIONS.map(({ version }) => version),
    Array.from({ length: SCHEMA_VERSION }, (_, index) => index + 1),
  )
  assert.deepEqual(
    MIGRATIONS.filter(({ name }) => UNRELEASED_STEPS.includes(name)),
    [],
  )
})

/** SHA-256 of the statements of every released step, for both databases. */
const RELEASED: Readonly<Record<string, readonly [sqlite: string, postgres: string]>> = {
  initial: [
    '7d0d811a2093884109d7f00d572ee1c548e5642c0fa9ec4187c24e21986a4a91',
    '12a5ed85e706e0354a5b7f2e23256b37391e818eef305485590b2c55bed8d1d2',
  ],
  'signer-audiences': [
    '3d6e8f01462f3933a2bcad15ffd7d0c877b6147c92be4b301d6d1e3e8d287b5f',
    '2345619fde4e54035fd874431dc5cf6a0bc45061aaff05a52a7a57cab760dc03',
  ],
  'sessions-and-codes': [
    'aac9e2fe6b80da0bc6dc2e1ddd404b073ab23842cfbab19ffa8043b490f29544',
    'a72543e1151972e5539561c675fc1c09bba29ec3e99f87e9be30021f29e0333e',
  ],
  'signer-trust': [
    '3fab26a3da71a12ed02d61cb9f8ec1c7c8b4ca6b8d1e82d9f970254400dc69ed',
    'eb7d3d4522858ebb42270e7e942a7d7c3051a3311decb5e4eefc13ead7296369',
  ],
  'network-names': [
    '701aeb47ed13b1c6afa6739094469ae8a89c9a28481e562386c829b293686641',
    '665f42c53954b7e312709c5e35978984f75a984514344fd0df86d5a949460d82',
  ],
  'key-fetches': [
    '33d334a8e3e8ad5287e155065997d12a70a6d0a87bb1e5d3846f6fd6095d7bf4',
    '4ad46842f2bc10530fe8cc3618c22e15cb3d756c95e5c5bd2fb2b38e6bbaa3d0',
  ],
  'key-set-cas': [
    'b966c01cc40637a10c1fc5f2f16dd61cf5abb4e3af142b544b5cdaf01ec847d6',
    'f7694d53090373ef50e2aa2c58bd0b89df5211a4e77243feffd3d018903b0d9f',
  ],
  'identity-rights': [
    '1526395a49e5c89d13832b432c3a6db8fd62d6aed28315e0d8920318059e7681',
    '1526395a49e5c89d13832b432c3a6db8fd62d6aed28315e0d8920318059e7681',
  ],
  'set-up-sessions': [
    'eb8b0edebe4b8c0d600a8f1dcfaee49d90ae57750d38e3930d20864506e65b71',
    '0a8c1eb0041111e5983a1c9b6f7e4d895345e2c6fcd5852d287e58d07418877b',
  ],
  'session-index': [
    'ac19b6f302f206f69b418c758c407f6a285063bb7d6eaf9b2f37acfb8e98aa2b',
    'ee9cc510c25fb5cd72f799254ca9d3575fc9d323d19fb803e4985057e66024a4',
  ],
  'synced-identities': [
    'd2a1a39adf33d45b7b3bc8f753342394bb657acd45ca1fa45d53d89f5cb5d65b',
    '194e4a9f819f2f0d23fc2f7c3ec086e5fcb29d55718a34cd43639495ade6c334',
  ],
  cas: [
    'b3a8dd3188726c784032556328f79aa877ed3327d056bc1a2a7dea095fd7487d',
    '7fc7855de5179a053e4373a6f274739adba12aeec196b581fb3faff4a8987fe7',
  ],
  'oidc-sessions': [
    'e534df4fa3ba644ee800150b0084712d248a078ed7d529871672dac038bc27c7',
    'd8c2e6104367b67720906f3e9b9ba9721bfd3516e84bf9b1c01f8a8bd00c0fb9',
  ],
  'provider-channels': [
    'ab401b2103c126671ba07144f33bee11162c844bdc2544758f4994172f409dc6',
    '51778c58a8c4f84d76b7dc164bb6f244db41378c1904c60614f307e1fbba0e76',
  ],
  scim: [
    'be482679cffdaea8fbfd96cc3783a00887285317ce67e15cd700bee1f891f7e5',
    '487f49851f76119d243a3d09f814d089276b507b4b0e0d4a38997a62776f823b',
  ],
  'scim-names': [
    '0cf51cd23e173961a01a86476ef393facd86ff6e49d56b35ad049f38d2bb9f63',
    '0cf51cd23e173961a01a86476ef393facd86ff6e49d56b35ad049f38d2bb9f63',
  ],
  'signer-sessions': [
    '11524087639d1a243a9288a6d9161106ebd84de0c016788707edd4928433638e',
    '02f160f5fa02cc6a3f1634078be06ad7cb82373344fd103a2e5a1a4e4aa07391',
  ],
  'last-logins': [
    'de2cf6bc5a92a1f38a0e84714e361d0d56ccb38e06fb6a809a15858207bab4bb',
    '91da7896e0a56926caf8156e68d9d6a705f7ff12fb93c9f93d03979f120a946c',
  ],
  tenants: [
    '99469e7f6c860441ca738c4dee7a3936a7146285e15ac680f3fb6dd1dada7e9d',
    '375fec11ecca45120bfd3943845787ea9b91e1214bee9de47694302764e71636',
  ],
  'account-administration': [
    '65516e1f3e38d3fb229849744e74343e70e4f9f48b5e8c29254e7ce74f323c38',
    'f4293afcf32cb2e7a3c4a1096fbd24f4d56dde9f1ae4a2cf690add18d58a8f1e',
  ],
  passkeys: [
    '41d2b75340d5e940e458569e1ac22bb36a98974b9d6234b8e9c84cd70c51af08',
    'eef32e1aaf6862515c44f6a6f82d3f1bbd41ad601cd414445b31b238ba5cc625',
  ],
  'federated-accounts': [
    'bd3872cab2482f7a736aecd22038c4ae1972f3c6fd9cf6c8ee72cfc80321ac13',
    'e09139cc1199f3772a8462c4f735f9598740a064e5b5641228bab507a6bcbe08',
  ],
  'account-job-indexes': [
    '010bc539360893fa5f19e2d191308281b58d9561d75eaae84e516571abe5d840',
    '010bc539360893fa5f19e2d191308281b58d9561d75eaae84e516571abe5d840',
  ],
  'kept-logins': [
    '592c72acab901b2c9f63d74f99a3f4f13ed7b522d38b74c84cb1c9b23305d516',
    '8b556fb0e7a42523cdf1a487338ca80a00841e7d35f4a25df47ed143f77093bd',
  ],
  'session-clients': [
    '2f8f3a725ab474eb1701a65dcb7ad7b8c215a1baf621d346f98b9c5b80c63975',
    '67ced159796a05a0874ab90fba26123eb83a4e4e6f6a4aee381af8d1df460c31',
  ],
  'decision-names': [
    'aba7929a775b1fe3ebdd5be6b4bcb72ba51fb68fb83f371bc97edd6d50987475',
    '71f03389b186b25ce194bf481d82c7009b0739bbfb33149b7394f475fdea1319',
  ],
  rules: [
    '220c7f5bf8312af83085cb0b3134903e883699edc4a0667aa5070e19a5ca7b95',
    'fc6c54db69022ac31c8abe96c8cc80f5c992ac140bdb678062abb4b6e96c8e95',
  ],
  'signer-keys': [
    'ba00a447d1e016574947bd168864da4ce78b9178c4b1f24f2525f3e10a038571',
    '7713082532e4675abee6d34b6c149ecb3ca886dc15f3a6bf54e62255b6c3a470',
  ],
  possession: [
    '38b881b43083df05c1f7da20d305829fc1e853e2c4501e78277e9b6ed2fcff0e',
    '00c70d1eb31a3d4ced14174fab74cd52e4a70f90339922bc6dc88eb156d630ea',
  ],
  'event-sinks': [
    '62b6ef514480635db6c9ed37213d68c5100eaff693c8b0b2988bab134c097e7c',
    '892672a978e70537724b194191e80779a91abaf86b89e1cb72538c96a7710ec0',
  ],
  'audit-record': [
    '8e3b54e992f7c88a82691c8c803301b55c370a4b47288959c0af276f856457fb',
    '9e537abc6cd013012a3dede88be5f1e7824f4bebcf85dc2a2f497a45a29c0c5d',
  ],
  'issued-certificates': [
    '06739952170371aacbe95e27fcb48afe169f6d7614ed62138e8f0422ce661f41',
    'f70d4d9aa7f080b1b47b92007f7ab9442f607c9dca9d477c2eb729df89c58470',
  ],
  'logins-and-expiry': [
    '304c368deaf8de033fd15dbdc44aa6ea5b9a98c649d16cf8de73fc1082ce6a40',
    'ffd3eae2c07590c84f0a2195d004bd6fe036dad26a789355544d6bf8ab1d5bb3',
  ],
  'trust-writers': [
    '54e7f71efc7f55087903a91126e54d16b5f116f3e340842ff70487658b319dd3',
    '54e7f71efc7f55087903a91126e54d16b5f116f3e340842ff70487658b319dd3',
  ],
  'change-kinds': [
    '6a5fbf96d2f1cae76316cf6ebbdc646252f9b6fb927abe99fb9b793fb88fea03',
    '6a5fbf96d2f1cae76316cf6ebbdc646252f9b6fb927abe99fb9b793fb88fea03',
  ],
  'session-changes': [
    '7c1d00a1132664b4b2d0d389798891e2a0bb2378438dd25e98f74d39cc425b3d',
    '7c1d00a1132664b4b2d0d389798891e2a0bb2378438dd25e98f74d39cc425b3d',
  ],
  'authenticator-trust': [
    '719d0bb452c2da9b76f6cc998f3bf98137717c8d57a4550c8377aaaa900d43d7',
    '87b110158462f158752d5b112d28cb7a4096b318191a5a16d287cd6b6ca4c6c9',
  ],
}

test('a released step is never edited: databases that have applied it would miss the change', () => {
  const digest = (statements: readonly string[]) =>
    createHash('sha256').update(statements.join(';').replace(/\s+/g, ' ')).digest('hex')
  assert.deepEqual(
    Object.fromEntries(
      MIGRATIONS.map((step) => [
        step.name,
        [SQLITE_TYPES, POSTGRES_TYPES].map((types) => digest(step.statements(types))),
      ]),
    ),
    RELEASED,
  )
})

/** The last step before nodes of two releases could run on one database. */
const LAST_CONTRACTING = 25
/** What a node of the previous release does not notice. */
const EXPANDING = [
  /^create table /,
  /^create (unique )?index \w+ on /,
  /^alter table \w+ add column \w+ [^,]*$/,
  /^insert into /,
  /^create (function|trigger) /,
]

test('S-21 steps after the previous release only add to the schema, so that nodes of both releases work', () => {
  const refused = MIGRATIONS.filter(({ version }) => version > LAST_CONTRACTING)
    .flatMap((step) => [SQLITE_TYPES, POSTGRES_TYPES].flatMap((types) => step.statements(types)))
    .filter((statement) => !isExpanding(statement))
  assert.deepEqual(refused, [])
  for (const statement of [
    'drop table identities',
    'alter table identities drop column name',
    'alter table identities rename to people',
    'alter table identities add column age integer not null',
    'update identities set name = null',
  ]) {
    assert.ok(!isExpanding(statement), statement)
  }
})

/** A column that must have a value needs a default: an older node does not name it. */
function isExpanding(statement: string): boolean {
  const text = statement.trim().replace(/\s+/g, ' ')
  const isColumn = text.startsWith('alter table')
  return EXPANDING.some((form) => form.test(text)) && !(isColumn && / not null(?! default)/.test(text))
}

for (const name of DATABASES) {
  test(`S-16 on ${name} later steps are applied once each, keep the rows and add the new columns`, async (t) => {
    const database = await makeEmptyDatabase(t, name)
    await database.migrate(1, [initial])
    await database.run(...sampleRows(database.words))
    await database.migrate(1)
    assert.deepEqual(await readSteps(database), firstSteps)
    await database.migrate(2, [...MIGRATIONS, isStarred])
    const [identity] = await database.run('select * from identities')
    assert.equal(identity?.id, 'old')
    assert.equal(Boolean(identity?.is_starred), false)
    await database.migrate(3, LATER)
    await database.migrate(4, LATER)
    assert.deepEqual(await readSteps(database), [
      ...firstSteps,
      [isStarred.version, isStarred.name, 2],
      [notes.version, notes.name, 3],
    ])
    assert.equal((await database.run('select * from identities')).length, 1)
    assert.deepEqual(await database.run('select * from notes'), [])
  })

  test(`on ${name} a database of the unreleased steps gets the later steps too`, async (t) => {
    const database = await makeEmptyDatabase(t, name)
    await database.migrate(1, [initial])
    await database.run(
      'delete from schema_migrations',
      ...UNRELEASED_STEPS.map((step, index) => `insert into schema_migrations values (${index + 1}, '${step}', 1)`),
    )
    await database.migrate(2, LATER)
    assert.deepEqual(
      await readSteps(database),
      LATER.map((step) => [step.version, step.name, 2]),
    )
    assert.deepEqual(await database.run('select is_starred from identities'), [])
  })

  test(`on ${name} identities that are linked to a signer become its SCIM users`, async (t) => {
    const database = await makeEmptyDatabase(t, name)
    await database.migrate(1, [initial])
    await database.run(...sampleRows(database.words))
    await database.migrate(1, MIGRATIONS.slice(0, scim.version - 1))
    const copy = (
      id: string,
    ) => `insert into identities (id, name, type_id, is_admin, is_default_admin, auth_policy_id, permissions, app_data, hosting,
      env_info, sdk_info, tags, created_at, updated_at) select '${id}', '${id}', type_id, is_admin, is_default_admin, auth_policy_id,
      permissions, app_data, hosting, env_info, sdk_info, tags, 1, 1 from identities where id = 'old'`
    await database.run(
      ...['both', 'enrolled', 'of a deleted signer'].map(copy),
      `update identities set linked_signers = '["gone","signer"]' where id in ('old', 'both')`,
      `update identities set enrolled_by_signer_id = 'signer' where id in ('both', 'enrolled')`,
      `update identities set enrolled_by_signer_id = 'gone' where id = 'of a deleted signer'`,
    )
    await database.migrate(2)
    const users = await database.run(
      'select signer_id, identity_id, position, user_name from scim_users order by position',
    )
    assert.deepEqual(
      users.map((row) => [row.signer_id, row.identity_id, Number(row.position), row.user_name]),
      ['both', 'enrolled', 'old'].map((id, at) => ['signer', id, at + 1, null]),
    )
  })

  test(`on ${name} a failing step rolls back those before it`, async (t) => {
    const database = await makeEmptyDatabase(t, name)
    await database.migrate(1)
    await assert.rejects(database.migrate(2, [...MIGRATIONS, isStarred, broken]), /missing/)
    assert.deepEqual(await readSteps(database), firstSteps)
    await assert.rejects(database.run('select is_starred from identities'), /is_starred/)
    await database.migrate(2, LATER)
  })

  test(`on ${name} a database that a newer release wrote is refused with a hint, and not changed`, async (t) => {
    const database = await makeEmptyDatabase(t, name)
    await database.migrate(1, LATER)
    const before = await readSteps(database)
    await assert.rejects(database.open(2), (error: unknown) => {
      assert.ok(error instanceof StartupError, String(error))
      const { message, hint } = error
      assert.equal(message, `the database has schema version ${LATER.length}, this release knows ${SCHEMA_VERSION}`)
      assert.match(hint ?? '', /^start the newer release/)
      return true
    })
    assert.deepEqual(await readSteps(database), before)
  })
}

test('both databases have the same tables and columns, except for the number of a session on SQLite', async (t) => {
  const sqlite = await makeEmptyDatabase(t, 'sqlite')
  await sqlite.migrate(1)
  const postgres = await makeEmptyDatabase(t, 'postgres')
  await postgres.migrate(1)
  const inSqlite = await sqlite.run(`select tables.name || '.' || columns.name as name
    from pragma_table_list as tables, pragma_table_info(tables.name) as columns
    where tables.schema = 'main' and tables.name not like 'sqlite_%' order by tables.name, columns.cid`)
  const inPostgres = await postgres.run(`select table_name || '.' || column_name as name
    from information_schema.columns where table_schema = 'public' order by table_name collate "C", ordinal_position`)
  const ownOfSqlite = ({ name }: Record<string, unknown>) => name === 'api_sessions.seq'
  assert.ok(inPostgres.length > 200)
  assert.equal(inSqlite.filter(ownOfSqlite).length, 1)
  assert.deepEqual(
    inSqlite.filter((column) => !ownOfSqlite(column)).map(({ name }) => name),
    inPostgres.map(({ name }) => name),
  )
})
