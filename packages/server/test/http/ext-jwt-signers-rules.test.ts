import assert from 'node:assert/strict'
import { makeTestCertificate } from '@countersign/testkit'
import { certBody, create, detailOf, jwksBody, SIGNERS, summarize, testWithApp } from './ext-jwt-signers.fixture.ts'

const AUTH_POLICIES = '/edge/management/v1/auth-policies'

testWithApp('rules for signers', async (t, app) => {
  const post = (body: unknown) => app.admin('POST', SIGNERS, body)
  const countSigners = async () => (await app.admin('GET', SIGNERS)).json.meta.pagination.totalCount
  const without = (body: Record<string, unknown>, ...names: string[]) =>
    Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)))

  await t.test(
    'W-26 S1-2.1.name S1-2.1.issuer S1-2.1.audience names the first required member that is missing, null or blank',
    async () => {
      const before = await countSigners()
      const required = ['audience', 'enabled', 'issuer', 'name']
      for (const name of required) {
        for (const body of [without(jwksBody(), name), jwksBody({ [name]: null })]) {
          const reply = await post(body)
          assert.equal(summarize(reply), `400 COULD_NOT_VALIDATE ${name}`)
          assert.deepEqual(reply.json.error.cause, {
            field: name,
            reason: `${name} in body is required`,
            value: '<nil>',
          })
        }
        if (name !== 'enabled')
          assert.equal(summarize(await post(jwksBody({ [name]: '' }))), `400 COULD_NOT_VALIDATE ${name}`)
      }
      for (const [at, name] of required.entries()) {
        assert.equal(
          summarize(await post(without(jwksBody(), ...required.slice(at)))),
          `400 COULD_NOT_VALIDATE ${name}`,
        )
      }
      assert.equal(await countSigners(), before)
      assert.equal(summarize(await post(jwksBody())), '201')
    },
  )

  await t.test('W-26 H-07 S1-1.4 requires exactly one key source', async () => {
    const neither = await post(without(jwksBody(), 'jwksEndpoint'))
    assert.equal(summarize(neither), '400 INVALID_FIELD')
    assert.deepEqual(neither.json.error.cause, {
      code: 'UNHANDLED',
      message: "the value '<nil>' for 'certPem' is invalid: jwksEndpoint or certPem is required",
    })
    const both = await post(certBody({ jwksEndpoint: 'https://x.example/keys' }))
    assert.equal(summarize(both), '400 INVALID_FIELD')
    assert.deepEqual(both.json.error.cause, {
      code: 'UNHANDLED',
      message:
        "the value 'https://x.example/keys' for 'jwksEndpoint' is invalid: only one of jwksEndpoint or certPem may be defined",
    })
    assert.equal(summarize(await post(jwksBody({ certPem: null }))), '201')
    assert.equal(summarize(await post(certBody({ jwksEndpoint: null }))), '201')
  })

  await t.test('W-26 refuses a member of the wrong JSON type and names the type', async () => {
    for (const [members, type] of [
      [{ name: 5 }, 'string'],
      [{ enabled: 'true' }, 'boolean'],
      [{ useExternalId: 1 }, 'boolean'],
      [{ scopes: 5 }, 'array or string'],
      [{ tags: [] }, 'object'],
      [{ clockSkewSeconds: 1.5 }, 'integer'],
    ] as const) {
      const reply = await post(jwksBody(members))
      assert.equal(summarize(reply), '400 COULD_NOT_PARSE_BODY')
      const [name] = Object.keys(members)
      assert.ok(reply.json.error.cause.message.startsWith(`the member ${name} must be of type ${type},`), reply.text)
    }
    assert.equal(summarize(await post(jwksBody({ clockSkewSeconds: 2 }))), '201')
  })

  await t.test('D7 enforces the bounds of numbers and enumerations', async () => {
    for (const [bad, good] of [
      [{ clockSkewSeconds: 61 }, { clockSkewSeconds: 60 }],
      [{ clockSkewSeconds: -1 }, { clockSkewSeconds: 0 }],
      [{ maxTokenAgeSeconds: 0 }, { maxTokenAgeSeconds: 1 }],
      [{ targetToken: 'id' }, { targetToken: 'ID' }],
      [{ targetToken: 'REFRESH' }, { targetToken: 'ACCESS' }],
      [{ name: 'n'.repeat(257) }, { name: 'n'.repeat(256) }],
      [{ clientId: 'c'.repeat(513) }, { clientId: 'c'.repeat(512) }],
      [{ issuer: 'i'.repeat(1025) }, { issuer: 'i'.repeat(1024) }],
      [{ audience: 'a'.repeat(1025) }, { audience: 'a'.repeat(1024) }],
      [{ tags: { a: 'x'.repeat(2049) } }, { tags: { a: 'x'.repeat(2048) } }],
    ]) {
      const [field] = Object.keys(bad as object)
      assert.equal(summarize(await post(jwksBody(bad))), `400 COULD_NOT_VALIDATE ${field}`)
      assert.equal(summarize(await post(jwksBody(good))), '201')
    }
  })

  await t.test(
    'W-28 W-29 H-05 H-10 D9 L-05 refuses the values of another signer and names the member; values are case-sensitive',
    async () => {
      const one = await detailOf(
        app,
        await create(app, certBody({ name: 'Taken', kid: 'kid-1', issuer: 'https://Taken.example' })),
      )
      const twin = (members: object) => certBody({ ...members })
      for (const [members, field, value] of [
        [{ name: 'Taken' }, 'name', 'Taken'],
        [{ issuer: one.issuer, audience: one.audience }, 'issuer', one.issuer],
        [{ kid: 'kid-1' }, 'kid', 'kid-1'],
        [{ certPem: one.certPem }, 'fingerprint', one.fingerprint],
        [{ certPem: one.certPem, kid: 'kid-1' }, 'fingerprint', one.fingerprint],
        [{ certPem: one.certPem, kid: 'kid-1', issuer: one.issuer, audience: one.audience }, 'issuer', one.issuer],
        [{ certPem: one.certPem, name: 'Taken' }, 'name', 'Taken'],
      ] as const) {
        const reply = await post(twin(members))
        assert.equal(summarize(reply), `400 COULD_NOT_VALIDATE ${field}`)
        const reason =
          field === 'name'
            ? 'name must be unique'
            : `duplicate value '${value}' in unique index on externalJwtSigners store`
        assert.deepEqual(reply.json.error.cause, { field, reason, value })
      }
      for (const members of [
        { name: 'taken' },
        { name: 'Taken ' },
        { issuer: 'https://taken.example', audience: one.audience },
        { issuer: one.issuer, audience: 'another' },
        { kid: 'KID-1' },
      ]) {
        assert.equal(summarize(await post(twin(members))), '201')
      }
    },
  )

  await t.test(
    'D9 W-28 a certificate reused without a kid names the fingerprint, and an implied kid counts as one',
    async () => {
      const one = await detailOf(app, await create(app, certBody()))
      assert.equal(summarize(await post(certBody({ certPem: one.certPem }))), '400 COULD_NOT_VALIDATE fingerprint')
      assert.equal(summarize(await post(certBody({ kid: one.fingerprint }))), '400 COULD_NOT_VALIDATE kid')
      // The kid of a JWKS signer is unused, so it conflicts with no other.
      assert.equal(summarize(await post(jwksBody({ kid: one.fingerprint }))), '201')
      assert.equal(summarize(await post(jwksBody({ kid: one.fingerprint }))), '201')
    },
  )

  await t.test('W-27 H-03 refuses anything that is not exactly one certificate, without repeating it', async () => {
    const { pem, privateKey, der } = makeTestCertificate()
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const block = (label: string, bytes: Buffer) =>
      `-----BEGIN ${label}-----\n${bytes.toString('base64').replace(/(.{64})/g, '$1\n')}\n-----END ${label}-----\n`
    const secret = key.split('\n')[1] ?? ''
    for (const certPem of [
      'not a certificate',
      pem + makeTestCertificate().pem,
      pem + pem,
      pem + key,
      key + pem,
      key,
      block('CERTIFICATE REQUEST', der),
      block('TRUSTED CERTIFICATE', der),
      block('CERTIFICATE', Buffer.concat([der, Buffer.from([0])])),
      block('CERTIFICATE', der.subarray(0, -1)),
      `junk\n${pem}`,
      `${pem}junk`,
      pem.replace('-----END', '----END'),
      `\uFEFF${pem}`,
    ]) {
      const reply = await post(certBody({ certPem }))
      assert.equal(summarize(reply), '400 INVALID_CERT_PEM certPem')
      assert.equal(reply.json.error.cause.value, '')
      assert.ok(!reply.text.includes(secret))
    }
    assert.equal(
      summarize(await post(certBody({ certPem: `${key}${'x'.repeat(65_000)}` }))),
      '400 INVALID_CERT_PEM certPem',
    )
    assert.equal(app.logged.filter((line) => line.includes(secret)).length, 0)
    assert.equal(summarize(await post(certBody({ certPem: pem }))), '201')
    assert.equal(
      summarize(await post(certBody({ certPem: `\n ${makeTestCertificate().pem.replaceAll('\n', '\r\n')} \n` }))),
      '201',
    )
  })

  await t.test('H-04 H-09 refuses certificates with weak or unreadable keys', async () => {
    for (const kind of ['rsa1024', 'rsaExponent3', 'ec224', 'secp256k1', 'ecExplicit', 'ed448'] as const) {
      const reply = await post(certBody({ certPem: makeTestCertificate({ kind }).pem }))
      assert.equal(summarize(reply), '400 INVALID_CERT_PEM certPem', kind)
    }
    for (const hash of ['md5', 'sha1'] as const) {
      const reply = await post(certBody({ certPem: makeTestCertificate({ kind: 'rsa2048', hash }).pem }))
      assert.equal(summarize(reply), '400 INVALID_CERT_PEM certPem', hash)
    }
    const rawPublicKeyInfo = Buffer.from('300d06092a864886f70d0101010500', 'hex')
    const unreadable = makeTestCertificate({ rawPublicKeyInfo })
    assert.equal(summarize(await post(certBody({ certPem: unreadable.pem }))), '400 INVALID_CERT_PEM certPem')
    for (const kind of ['rsa2048', 'ec256'] as const) {
      assert.equal(summarize(await post(certBody({ certPem: makeTestCertificate({ kind }).pem }))), '201')
    }
  })

  await t.test(
    'H-08 refuses a certificate whose subject has control characters or is too long; all scripts are accepted',
    async () => {
      for (const commonName of ['a\u0000b', 'a\nb', 'a\u202eb', 'x'.repeat(257), 'x'.repeat(20_000)]) {
        assert.equal(
          summarize(await post(certBody({ certPem: makeTestCertificate({ commonName }).pem }))),
          '400 INVALID_CERT_PEM certPem',
        )
      }
      const endless = makeTestCertificate({ commonName: 'x'.repeat(65_536) })
      assert.equal(summarize(await post(certBody({ certPem: endless.pem }))), '400 COULD_NOT_PARSE_BODY')
      for (const commonName of ['Zoë <b>&"', 'x'.repeat(256)]) {
        const signer = await detailOf(
          app,
          await create(app, certBody({ certPem: makeTestCertificate({ commonName }).pem })),
        )
        assert.equal(signer.commonName, commonName)
      }
    },
  )

  await t.test(
    'H-01 D11 saves a certificate outside its validity period with a warning, and warns 30, 7 and 1 days ahead',
    async () => {
      const day = 86_400_000
      const at = (days: number) => new Date(Math.floor(app.clock.now() / 1000) * 1000 + days * day + 60_000)
      const warnings = async (notBefore: Date, notAfter: Date): Promise<string[]> => {
        const { pem } = makeTestCertificate({ notBefore, notAfter })
        return (await detailOf(app, await create(app, certBody({ certPem: pem })))).keyStatus.warnings
      }
      const has = (list: string[], ...words: string[]) =>
        assert.ok(list.length === 1 && words.every((word) => list[0]?.includes(word)), JSON.stringify(list))
      has(await warnings(at(-20), at(-10)), 'expired', 'no token verifies')
      has(await warnings(at(10), at(20)), 'not valid before', 'no token verifies')
      has(await warnings(at(-1), at(29)), 'expires', 'in 29 days')
      has(await warnings(at(-1), at(7)), 'expires', 'in 7 days')
      has(await warnings(at(-1), at(1)), 'expires', 'in 1 day:')
      has(await warnings(at(-1), at(0)), 'expires', 'in less than a day')
      assert.deepEqual(await warnings(at(-1), at(31)), [])
    },
  )

  await t.test('H-05 refuses a kid of one kilobyte', async () => {
    assert.equal(summarize(await post(certBody({ kid: 'k'.repeat(1024) }))), '400 COULD_NOT_VALIDATE kid')
    assert.equal(summarize(await post(certBody({ kid: 'k'.repeat(256) }))), '201')
  })

  await t.test(
    'K-02 K-03 K-15 D5 S1-2.1.enrollNameClaimsSelector S1-2.1.enrollAttributeClaimsSelector refuses a bad escape and a too long selector in each of the three',
    async () => {
      const selectors = ['claimsProperty', 'enrollNameClaimsSelector', 'enrollAttributeClaimsSelector']
      for (const field of selectors) {
        for (const bad of ['~', '~2', '/a~', '/a~2b', `/${'a'.repeat(512)}`, '/a'.repeat(17), '/a\u202eb']) {
          assert.equal(summarize(await post(jwksBody({ [field]: bad }))), `400 COULD_NOT_VALIDATE ${field}`, bad)
        }
        for (const good of ['/', '//', '/a~0b~1c', `/${'a'.repeat(511)}`, '/a'.repeat(16), 'sub', 'a.b']) {
          const signer = await detailOf(app, await create(app, jwksBody({ [field]: good })))
          assert.equal(signer[field], good)
          assert.deepEqual(signer.keyStatus.warnings, [])
        }
      }
    },
  )

  await t.test('D5 K-02 a name with a slash is a name, saved with a warning that shows the pointer form', async () => {
    for (const field of ['claimsProperty', 'enrollNameClaimsSelector', 'enrollAttributeClaimsSelector']) {
      for (const name of ['https://acme.example/uid', 'realm_access/roles', '#/a', '0/a']) {
        const signer = await detailOf(app, await create(app, jwksBody({ [field]: name })))
        assert.equal(signer[field], name)
        assert.equal(signer.keyStatus.warnings.length, 1)
        assert.ok(signer.keyStatus.warnings[0].includes(`"/${name}"`))
      }
    }
  })

  await t.test('K-14 warns of a claim that is the same for all users', async () => {
    for (const [claimsProperty, count] of [
      ['/aud', 1],
      ['iss', 1],
      ['/email', 0],
    ] as const) {
      const { keyStatus } = await detailOf(app, await create(app, jwksBody({ claimsProperty })))
      assert.equal(keyStatus.warnings.length, count)
    }
  })

  await t.test(
    'L-03 L-04 names, issuers and audiences are kept byte by byte; invisible characters are refused',
    async () => {
      const lookalikes = [
        'caf\u00e9',
        'cafe\u0301',
        'K',
        '\u212a',
        'k',
        '\u0131',
        'I',
        '\u0130',
        'i',
        '\uff41',
        'a',
        'a ',
        ' a',
        'Bob@x',
        'bob@x',
      ]
      for (const name of lookalikes) {
        const signer = await detailOf(
          app,
          await create(app, jwksBody({ name, issuer: name, audience: name, kid: name, clientId: name })),
        )
        for (const field of ['name', 'issuer', 'audience', 'kid', 'clientId']) assert.equal(signer[field], name)
      }
      for (const character of [
        '\u200b',
        '\u200d',
        '\u202e',
        '\u2066',
        '\ufeff',
        '\u0000',
        '\u001b',
        '\u0085',
        '\u2028',
        '\n',
      ]) {
        // Text with a NUL is refused when the body is parsed.
        const refusal = (field = '') =>
          character === '\u0000' ? '400 COULD_NOT_PARSE_BODY' : `400 COULD_NOT_VALIDATE ${field}`
        for (const field of ['name', 'issuer', 'audience', 'kid', 'clientId', 'enrollAuthPolicyId']) {
          assert.equal(summarize(await post(jwksBody({ [field]: `a${character}b` }))), refusal(field))
        }
        for (const members of [
          { scopes: [`a${character}b`] },
          { tags: { [`a${character}b`]: 'x' } },
          { requiredClaims: { [`a${character}b`]: 'x' } },
          { requiredClaims: { a: ['x', `x${character}`] } },
          { requiredClaims: { a: { glob: `x${character}*` } } },
          { externalAuthUrl: `https://a.example/${character}` },
          { openIdConfigurationUrl: `https://a${character}b.example/` },
        ]) {
          const [field] = Object.keys(members)
          assert.equal(summarize(await post(jwksBody(members))), refusal(field))
        }
      }
      assert.equal(summarize(await post(jwksBody({ tags: { note: 'two\nlines' }, scopes: ['ünï'] }))), '201')
    },
  )

  await t.test('an issuer cannot break out of the challenge that shows it', async () => {
    for (const character of ['"', ',', '|', '\\']) {
      assert.equal(
        summarize(await post(jwksBody({ issuer: `https://a${character}b` }))),
        '400 COULD_NOT_VALIDATE issuer',
      )
    }
    assert.equal(summarize(await post(jwksBody({ issuer: "https://a'b;c=d/é" }))), '201')
  })

  await t.test(
    'Q-03 S1-2.2.externalAuthUrl D12 addresses opened in browsers are https, or http on this machine',
    async () => {
      for (const field of ['externalAuthUrl', 'openIdConfigurationUrl']) {
        for (const bad of [
          'javascript:alert(1)',
          'JaVaScRiPt:alert(1)',
          'java\nscript:alert(1)',
          'data:text/html,<script>alert(1)</script>',
          '//evil.example',
          '/relative',
          'http://login.example/',
          'http://127.0.0.1.evil.example/',
          'https://user:pass@login.example/',
          'https:login.example',
          'https:///login.example',
          'https:\\\\login.example',
          ' https://login.example',
          'ht\ttps://login.example',
          'file:///etc/passwd',
          'https://',
          'login.example',
        ]) {
          assert.equal(summarize(await post(jwksBody({ [field]: bad }))), `400 COULD_NOT_VALIDATE ${field}`, bad)
        }
        for (const good of [
          'https://login.example/authorize?x=1#y',
          'HTTPS://login.example',
          'http://localhost:9000/',
          'http://127.0.0.1:9000',
          'http://[::1]/x',
        ]) {
          const signer = await detailOf(app, await create(app, jwksBody({ [field]: good })))
          assert.equal(signer[field], good)
        }
      }
    },
  )

  await t.test(
    'W-35 W-36 W-37 S1-2.1.jwksEndpoint refuses endpoints that would never be fetched, in every write',
    async () => {
      const id = await create(app)
      for (const jwksEndpoint of [
        'http://169.254.169.254/latest/meta-data',
        'https://169.254.169.254/',
        'file:///etc/passwd',
        '/x',
        'mailto:a@b.example',
        'http:///x',
        'https://user:pass@login.example/keys',
        'http://login.example/keys',
      ]) {
        const body = jwksBody({ jwksEndpoint })
        for (const reply of [
          await post(body),
          await app.admin('PUT', `${SIGNERS}/${id}`, body),
          await app.admin('PATCH', `${SIGNERS}/${id}`, { jwksEndpoint }),
        ]) {
          assert.equal(summarize(reply), '400 INVALID_FIELD')
          assert.ok(
            reply.json.error.cause.message.startsWith(`the value '${jwksEndpoint}' for 'jwksEndpoint' is invalid: `),
          )
        }
      }
      assert.equal(
        summarize(await post(jwksBody({ jwksEndpoint: 'not a uri' }))),
        '400 COULD_NOT_VALIDATE jwksEndpoint',
      )
      assert.equal(
        summarize(await post(certBody({ jwksEndpoint: 'not a uri' }))),
        '400 COULD_NOT_VALIDATE jwksEndpoint',
      )
      assert.equal(
        summarize(await post(jwksBody({ jwksEndpoint: `https://x.example/${'a'.repeat(2048)}` }))),
        '400 COULD_NOT_VALIDATE jwksEndpoint',
      )
      assert.equal(
        summarize(await app.admin('PATCH', `${SIGNERS}/${id}`, { jwksEndpoint: 'https://any.name.example/keys' })),
        '200',
      )
    },
  )

  await t.test(
    'S1-2.1.enrollAuthPolicyId S1-2.1.enrollToCertEnabled S1-2.1.enrollToTokenEnabled a flag needs a policy that allows its login method',
    async () => {
      const newPolicy = async (name: string, cert: boolean, extJwt: boolean): Promise<string> => {
        const primary = {
          cert: { allowed: cert, allowExpiredCerts: false },
          extJwt: { allowed: extJwt, allowedSigners: [] },
          updb: UPDB,
        }
        const reply = await app.admin('POST', AUTH_POLICIES, { name, primary, secondary: { requireTotp: false } })
        assert.equal(reply.status, 201, reply.text)
        return reply.json.data.id
      }
      const certOnly = await newPolicy('certificates only', true, false)
      const jwtOnly = await newPolicy('signers only', false, true)
      for (const [flag, bad, good, reason] of [
        ['enrollToTokenEnabled', certOnly, jwtOnly, 'primary external jwt authentication on auth policy is disabled'],
        ['enrollToCertEnabled', jwtOnly, certOnly, 'primary certificate authentication on auth policy is disabled'],
      ] as const) {
        const refused = await post(jwksBody({ [flag]: true, enrollAuthPolicyId: bad }))
        assert.equal(refused.status, 400)
        assert.deepEqual(refused.json.error.cause, { field: 'enrollAuthPolicyId', reason, value: bad })
        const id = await create(app, jwksBody({ [flag]: true, enrollAuthPolicyId: good }))
        // The rule applies to every write.
        assert.equal(
          summarize(await app.admin('PATCH', `${SIGNERS}/${id}`, { enrollAuthPolicyId: bad })),
          '400 COULD_NOT_VALIDATE enrollAuthPolicyId',
        )
        assert.equal((await detailOf(app, id)).enrollAuthPolicyId, good)
      }
      for (const [flags, reason] of [
        [{ enrollToTokenEnabled: true }, 'the auth policy must be specified if enroll to token is enabled'],
        [{ enrollToCertEnabled: true }, 'the auth policy must be specified if enroll to cert is enabled'],
      ] as const) {
        const unknown = await post(jwksBody({ ...flags, enrollAuthPolicyId: 'none' }))
        assert.deepEqual(unknown.json.error.cause, { field: 'enrollAuthPolicyId', reason, value: 'none' })
      }
      const unknown = await post(jwksBody({ enrollAuthPolicyId: 'none' }))
      assert.equal(summarize(unknown), '404 NOT_FOUND')
      assert.deepEqual(unknown.json.error.cause, { code: 'UNHANDLED', message: 'authPolicy with id none not found' })
      assert.equal(summarize(await post(jwksBody({ enrollToTokenEnabled: true, enrollToCertEnabled: true }))), '201')
    },
  )

  await t.test(
    'a policy change that makes enrollment impossible is allowed, and the signer shows a warning',
    async () => {
      const primary = {
        cert: { allowed: true, allowExpiredCerts: false },
        extJwt: { allowed: true, allowedSigners: [] },
        updb: UPDB,
      }
      const policy = await app.admin('POST', AUTH_POLICIES, {
        name: 'to be edited',
        primary,
        secondary: { requireTotp: false },
      })
      const policyId = policy.json.data.id
      const id = await create(app, jwksBody({ enrollToCertEnabled: true, enrollAuthPolicyId: policyId }))
      assert.deepEqual((await detailOf(app, id)).keyStatus.warnings, [])
      assert.equal(
        (await app.admin('PATCH', `${AUTH_POLICIES}/${policyId}`, { primary: { cert: { allowed: false } } })).status,
        200,
      )
      const [warning] = (await detailOf(app, id)).keyStatus.warnings
      assert.ok(warning.includes('primary certificate authentication on auth policy is disabled'))
      assert.equal(
        summarize(await app.admin('PATCH', `${SIGNERS}/${id}`, { name: 'renamed' })),
        '400 COULD_NOT_VALIDATE enrollAuthPolicyId',
      )
      assert.equal(summarize(await app.admin('PATCH', `${SIGNERS}/${id}`, { enrollToCertEnabled: false })), '200')
    },
  )

  await t.test('accepts CA certificates as jwksCaPem, and never a private key', async () => {
    const { pem, privateKey } = makeTestCertificate()
    const secret = String(privateKey.export({ type: 'pkcs8', format: 'pem' }))
    for (const jwksCaPem of ['junk', secret, pem + secret]) {
      const reply = await post(jwksBody({ jwksCaPem }))
      assert.equal(summarize(reply), '400 COULD_NOT_VALIDATE jwksCaPem')
      assert.ok(!reply.text.includes('PRIVATE'))
    }
    assert.equal(summarize(await post(jwksBody({ jwksCaPem: pem }))), '201')
  })

  await t.test(
    'D14 accepts requiredClaims of selectors to texts, and warns of a shared issuer that enrolls without them',
    async () => {
      for (const requiredClaims of [
        { '/a~': 'x' },
        { a: '' },
        { a: [] },
        { a: 5 },
        { a: ['x', null] },
        { a: { b: 'c' } },
        { a: { glob: '' } },
        { a: { glob: 'x*', b: 'c' } },
        { '': 'x' },
      ]) {
        assert.equal(summarize(await post(jwksBody({ requiredClaims }))), '400 COULD_NOT_VALIDATE requiredClaims')
      }
      for (const issuer of [
        'https://token.actions.githubusercontent.com',
        'https://gitlab.com',
        'https://accounts.google.com',
        'https://login.microsoftonline.com/common/v2.0',
      ]) {
        const warned = await detailOf(app, await create(app, jwksBody({ issuer, enrollToTokenEnabled: true })))
        assert.equal(warned.keyStatus.warnings.length, 1)
        assert.ok(warned.keyStatus.warnings[0].includes('requiredClaims'))
        const patched = await app.admin('PATCH', `${SIGNERS}/${warned.id}`, {
          requiredClaims: { hd: ['acme.example'] },
        })
        assert.equal(patched.status, 200)
        const guarded = await detailOf(app, warned.id)
        assert.deepEqual(guarded.requiredClaims, { hd: ['acme.example'] })
        const requiredClaims = { hd: { glob: '*.example' } }
        assert.equal((await app.admin('PATCH', `${SIGNERS}/${warned.id}`, { requiredClaims })).status, 200)
        assert.deepEqual((await detailOf(app, warned.id)).requiredClaims, requiredClaims)
        assert.deepEqual(guarded.keyStatus.warnings, [])
      }
      const own = await detailOf(
        app,
        await create(app, jwksBody({ issuer: 'https://gitlab.company.example', enrollToTokenEnabled: true })),
      )
      assert.deepEqual(own.keyStatus.warnings, [])
    },
  )

  await t.test('of several errors the one that existing clients expect is returned', async () => {
    const taken = await detailOf(app, await create(app, certBody()))
    const plain = await app.makeIdentity()
    const bad = certBody({
      name: taken.name,
      issuer: taken.issuer,
      audience: taken.audience,
      certPem: 'none',
      jwksEndpoint: 'http://169.254.169.254/',
      targetToken: 'NONE',
      enrollAuthPolicyId: 'none',
      enrollToTokenEnabled: true,
    })
    // Each step corrects the previous error.
    const steps: [Record<string, unknown>, string][] = [
      [{}, '400 COULD_NOT_VALIDATE targetToken'],
      [{ targetToken: 'ID' }, '400 INVALID_FIELD'],
      [{ jwksEndpoint: 'https://x.example/keys' }, '400 INVALID_CERT_PEM certPem'],
      [{ certPem: taken.certPem }, '400 COULD_NOT_VALIDATE name'],
      [{ name: 'another name than that' }, '400 INVALID_FIELD'],
      [{ jwksEndpoint: null }, '400 COULD_NOT_VALIDATE enrollAuthPolicyId'],
      [{ enrollToTokenEnabled: false }, '400 COULD_NOT_VALIDATE issuer'],
      [{ audience: 'another' }, '400 COULD_NOT_VALIDATE fingerprint'],
      [{ certPem: makeTestCertificate().pem }, '404 NOT_FOUND'],
      [{ enrollAuthPolicyId: null }, '201'],
    ]
    assert.equal(summarize(await app.call('POST', SIGNERS, bad)), '401 UNAUTHORIZED')
    assert.equal(summarize(await app.call('POST', SIGNERS, bad, { session: plain.session })), '401 UNAUTHORIZED')
    assert.equal(
      summarize(await app.admin('POST', SIGNERS, bad, { headers: { 'content-type': 'text/plain' } })),
      '415 COULD_NOT_VALIDATE Content-Type',
    )
    let body: Record<string, unknown> = bad
    for (const [corrected, expected] of steps) {
      body = { ...body, ...corrected }
      assert.equal(summarize(await post(body)), expected)
    }
  })

  await t.test('D36 an error repeats only the beginning of a long value', async () => {
    const issuer = `https://${'i'.repeat(900)}`
    await create(app, jwksBody({ issuer, audience: 'a' }))
    const reply = await post(jwksBody({ issuer, audience: 'a' }))
    assert.equal(summarize(reply), '400 COULD_NOT_VALIDATE issuer')
    assert.ok(reply.text.length < 800, reply.text)
    const { cause } = reply.json.error
    assert.ok(cause.value.startsWith('https://iii') && cause.value.length <= 129)
  })
})

const UPDB = {
  allowed: true,
  minPasswordLength: 5,
  requireSpecialChar: false,
  requireNumberChar: false,
  requireMixedCase: false,
  maxAttempts: 5,
  lockoutDurationMinutes: 0,
}
