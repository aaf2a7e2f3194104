import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../json/json-value.ts'
import { checkRule } from './check-rule.ts'
import { compileRule, readRule } from './compile-rule.ts'
import { explainRule, ruleRefusalText } from './explain-rule.ts'
import { evaluate, rejection, variablesOf } from './rule.fixture.ts'

const CLAIMS: JsonObject = {
  sub: 'repo:acme/app:ref:refs/heads/main',
  email: 'Ann@Acme.example',
  email_verified: true,
  groups: ['dev', 'ops'],
  level: 3,
  ratio: 0.5,
  nothing: null,
  realm_access: { roles: ['admin'] },
  'https://acme.example/uid': 'u1',
  iat: 1_767_225_600,
}

const TRUE: readonly string[] = [
  'true',
  'claims.email_verified',
  'claims.level == 3 && claims.level >= 2.5 && claims.level < 4 && claims.level != 4',
  'claims.ratio == 0.5 && claims.ratio * 2.0 == 1.0',
  'claims["https://acme.example/uid"] == "u1"',
  '"admin" in claims.realm_access.roles',
  'has(claims.email) && !has(claims.phone) && has(claims.nothing)',
  '"email" in claims && !("phone" in claims)',
  'claims.nothing == null',
  'claims.groups == ["dev", "ops"] && claims.groups[1] == "ops" && size(claims.groups) == 2',
  'claims.groups.exists(g, g == "ops") && !claims.groups.all(g, g == "ops") && claims.groups.exists_one(g, g == "ops")',
  'claims.groups.map(g, g + "!") == ["dev!", "ops!"]',
  'claims.groups.map(g, g != "dev", g) == claims.groups.filter(g, g != "dev")',
  'claims.realm_access.exists(name, name == "roles")',
  'glob(claims.sub, "repo:acme/*:ref:refs/heads/*") && !glob(claims.sub, "repo:acme/*:environment:*")',
  'glob(claims.groups, "o?s") && !glob(claims.groups, "o?")',
  'lower(domain(claims.email)) == "acme.example"',
  'inCidr(request.address, "10.0.0.0/8") && !inCidr(request.address, "10.2.0.0/16") && inCidr("2001:db8::1", "2001:db8::/32")',
  'inCidr("::ffff:10.1.2.3", "10.0.0.0/8") && !inCidr("::1", "10.0.0.0/8") && !inCidr("10.1.2.3", "::/0")',
  'claims.sub.startsWith("repo:") && claims.sub.endsWith("main") && claims.sub.contains("acme")',
  'claims.sub.split(":")[1] == "acme/app" && ["a", "b"].join("-") == "a-b" && "abc".substring(1) == "bc" && "abc".substring(1, 2) == "b"',
  '" x ".trim() == "x" && "aÄ".upperAscii() == "AÄ" && "AÄ".lowerAscii() == "aÄ"',
  'timestamp(claims.iat) == timestamp("2026-01-01T00:00:00Z") && request.time - timestamp(claims.iat) < duration("1h")',
  'timestamp("2026-01-01T12:30:15.250Z").getHours() == 12 && timestamp("2026-01-01T12:30:15Z").getMinutes("+02:30") == 0',
  'timestamp("2026-07-01T23:30:00Z").getHours("Europe/Berlin") == 1 && timestamp("2026-07-01T23:30:00Z").getDate("Europe/Berlin") == 2',
  'duration("90m").getHours() == 1 && duration("1h30m") == duration("90m") && duration("-1.5s") < duration("0s")',
  'int("7") + 1 == 8 && int(2.9) == 2 && double(1) == 1.0 && string(7) == "7" && bool("true") && string(true) == "true"',
  '7 / 2 == 3 && -7 / 2 == -3 && -7 % 3 == -1 && 7.0 / 2.0 == 3.5',
  'claims.missing == 1 || true',
  '!(claims.missing == 1 && false)',
  'claims.groups.exists(g, g == "dev" || g.missing)',
  'has(claims.missing) ? claims.missing : true',
  '{"a": [1]}.a == [1] && {"a": claims.level} == {"a": 3.0} && {"a": 1} != {"b": 1}',
  '"😀" > "\\uFFFD" && "a" < "b" && "a" < "aa" && size("😀") == 1',
  'signer.name == "github" && signer.id == "s1" && header.alg == "RS256" && request.method == "POST"',
  'size({"a": 1}) == 1 && "abc".size() == 3 && size([]) == 0',
  '[1, 2] + [3] == [1, 2, 3] && "a" + "b" == "ab"',
  'timestamp(claims.iat) + duration("1h") > timestamp(claims.iat) && timestamp(claims.iat) - duration("1h") < request.time',
  'duration("1h") + duration("1m") == duration("61m") && duration("1h") - duration("1m") == duration("59m")',
  'true // a comment\n && true',
]

test('rules have the values that CEL defines', () => {
  for (const rule of TRUE) assert.equal(evaluate(rule, CLAIMS), true, rule)
  for (const rule of TRUE) assert.equal(evaluate(`!(${rule.replace(' // a comment', '')})`, CLAIMS), false, rule)
})

const FAULTS: readonly string[] = [
  'claims.missing == 1',
  'claims.email.missing == 1',
  'claims.groups[2] == "x"',
  'claims.groups["x"] == "x"',
  'claims.level[0] == 1',
  'claims.email + 1 == 1',
  'claims.level && true',
  'claims.level ? true : false',
  '!claims.level',
  '-claims.email == 1',
  'claims.email < 1',
  'claims.email in claims.level',
  'claims.level / 0 == 1',
  'claims.level % 0 == 1',
  '9223372036854775807 + claims.level > 0',
  'glob(claims.level, "x")',
  'glob("x", claims.email + claims.sub.split("").map(c, claims.sub).join(""))',
  'domain(claims.sub) == "x"',
  'domain("a@b@c") == "b"',
  'domain("@b") == "b"',
  'inCidr(claims.email, "10.0.0.0/8")',
  'inCidr("10.0.0.1", claims.email)',
  'size(claims.level) == 1',
  'claims.level.exists(x, x)',
  'claims.groups.exists(g, g)',
  'claims.groups.exists_one(g, g.x)',
  'claims.groups.filter(g, g) == []',
  'claims.groups.map(g, g.x) == []',
  'claims.groups.all(g, g.x)',
  'int(claims.email) == 1',
  'int(claims.groups) == 1',
  'double(claims.email) == 1.0',
  'double(claims.groups) == 1.0',
  'bool(claims.email)',
  'bool(claims.groups)',
  'string(claims.groups) == ""',
  'timestamp(claims.email) == request.time',
  'timestamp(claims.groups) == request.time',
  'timestamp(99999999999999) == request.time',
  'claims.email - claims.email == 1',
  'duration(claims.email) == duration("1s")',
  'duration(claims.level) == duration("1s")',
  'int(1.0e300) == 1',
  'claims.sub.substring(2, 1) == ""',
  'claims.sub.substring(99) == ""',
  'claims.level.substring(1) == ""',
  'claims.level.join() == ""',
  'claims.realm_access.roles.map(g, claims.level).join() == ""',
  'claims.email.getHours() == 1',
  'has(claims.email.x)',
  'has(claims.missing.x)',
  '[claims.missing] == []',
  '{"a": claims.missing} == {}',
  'claims[claims.missing] == 1',
  'claims.email.startsWith(claims.level)',
]

test('whatever has no value is a fault, never an exception', () => {
  for (const rule of FAULTS) assert.match(String(evaluate(rule, CLAIMS)), /^fault: ./, rule)
})

const MISTAKES: readonly (readonly [rule: string, line: number, column: number, reason: RegExp])[] = [
  ['', 1, 1, /empty/],
  ['claims.a ==', 1, 12, /unexpected end/],
  ['true &&\n  (claims.a == )', 2, 16, /unexpected/],
  ['tru', 1, 1, /unknown variable: tru/],
  ['request.foo == 1', 1, 9, /no such key: foo/],
  ['identity.name == "a"', 1, 1, /unknown variable: identity/],
  ['1 + "a" == 2', 1, 1, /no such overload/],
  ['"text"', 1, 1, /must be a bool, but this is a string/],
  ['[1]', 1, 1, /must be a bool, but this is a list<int>/],
  ['"a".matches("a+")', 1, 1, /use glob/],
  ['true && cel.bind(a, true, a)', 1, 9, /bind is not available/],
  ['b"abc" == b"abc"', 1, 1, /bytes/],
  ['1u == 1u', 1, 1, /unsigned/],
  ['9223372036854775808 > 0', 1, 1, /too large/],
  ['-9223372036854775809 < 0', 1, 1, /too small/],
  ['{1: "a"} == {1: "a"}', 1, 2, /keys/],
  ['{"a": 1, "a": 2} == {}', 1, 1, /once/],
  ['glob(claims.sub, "")', 1, 18, /pattern/],
  ['inCidr(request.address, "10.0.0.1/8")', 1, 25, /CIDR/],
  ['inCidr(request.address, "10.0.0.0/33")', 1, 25, /CIDR/],
  ['request.time > timestamp("2026-13-01T00:00:00Z")', 1, 26, /RFC 3339/],
  ['request.time - request.time > duration("1 hour")', 1, 40, /duration/],
  ['request.time.getHours("Mars/Olympus") > 1', 1, 23, /time zone/],
  ['request.time.getHours(claims.zone) > 1', 1, 23, /must be a text/],
  ['has(claims)', 1, 5, /has\(\)/],
  ['claims.a.exists(1, true)', 1, 17, /variable/],
  ['claims.exists(a, claims.exists(b, claims.exists(c, claims.exists(d, true))))', 1, 52, /nested/],
  ["claims.a == 'x' \u0000", 1, 17, /control/],
  ["claims.a == 'x' §", 1, 17, /unexpected character/],
  [`${'('.repeat(80)}true${')'.repeat(80)}`, 1, 65, /maxDepth/],
  [`${'!'.repeat(300)}true`, 1, 66, /too deeply/],
  [`${'!'.repeat(4000)}true`, 1, 3001, /maxAstNodes/],
  [`"${'x'.repeat(5000)}" == ""`, 1, 1, /longer than 4096 bytes/],
  [`"${'ä'.repeat(2100)}" == ""`, 1, 1, /longer than 4096 bytes/],
  ['type(1) == int', 1, 1, /type is not available/],
  ['google == google', 1, 1, /not available/],
]

test('a mistake is found when a rule is saved, with its position', () => {
  for (const [rule, line, column, reason] of MISTAKES) {
    const found = rejection(rule)
    assert.match(found.reason, reason, rule)
    assert.deepEqual([found.line, found.column], [line, column], `${rule}: ${found.reason}`)
  }
  assert.throws(() => compileRule('tru', 'accept', 'signer'), TypeError)
})

test('the variables depend on where a rule stands, and its type on what it decides', () => {
  const isRule = (...args: Parameters<typeof readRule>) => readRule(...args).ok
  assert.equal(isRule('identity.attributes.exists(a, a == "x")', 'accept', 'policy'), true)
  assert.equal(isRule('header.alg == "RS256"', 'accept', 'policy'), false)
  assert.equal(isRule('header.alg == "RS256"', 'accept', 'signer'), true)
  for (const rule of ['claims.groups', '["a"]', '[]', 'claims.groups.map(g, g + "x")', 'claims.a ? ["x"] : []'])
    assert.equal(isRule(rule, 'attributes', 'signer'), true, rule)
  for (const rule of ['"a"', '[1]', 'true']) assert.equal(isRule(rule, 'attributes', 'signer'), false, rule)
})

test('a rule names the claims that it reads', () => {
  const references = (rule: string) => compileRule(rule, 'accept', 'signer').references
  assert.deepEqual(references('claims.a.b == 1 && claims["c"] == 2 && claims.a.b > 0 && header.kid == "x"'), {
    claims: [['a', 'b'], ['c']],
    readsAllClaims: false,
    readsRequest: false,
    readsHeader: true,
    readsSignerName: false,
    readsIdentity: false,
  })
  assert.deepEqual(references('"x" in claims && has(claims.y) && request.method == "GET"'), {
    claims: [['x'], ['y']],
    readsAllClaims: false,
    readsRequest: true,
    readsHeader: false,
    readsSignerName: false,
    readsIdentity: false,
  })
  for (const rule of ['signer.name == "a"', 'signer["na" + "me"] == "a"', '[signer].exists(s, s.name == "a")'])
    assert.equal(references(rule).readsSignerName, true, rule)
  assert.equal(references('signer.id == "a" && signer["id"] != "b"').readsSignerName, false)
  assert.equal(references('claims.exists(name, name == "x")').readsAllClaims, true)
  assert.equal(references('claims[header.kid] == 1').readsAllClaims, true)
  assert.deepEqual(references('claims.list.exists(claims, claims.x == 1)').claims, [['list']])
})

const EXPLAINED: readonly (readonly [rule: string, text: string])[] = [
  ['claims.email_verified', 'claims.email_verified is true; claims.email_verified is true'],
  ['claims.level == 3 && claims.level == 4', 'claims.level == 4 is false (line 1, column 22); claims.level is 3'],
  [
    'claims.level == 4 || claims.ratio > 1.0',
    'claims.level == 4 || claims.ratio > 1.0 is false (line 1, column 1); claims.level is 3; claims.ratio is 0.5',
  ],
  [
    'claims.realm_access == {}',
    'claims.realm_access == {} is false (line 1, column 1); claims.realm_access is {"roles":["admin"]}',
  ],
  [
    'claims.level > 1 && !(claims.level in [3, 4] )',
    '!(claims.level in [3, 4] ) is false (line 1, column 21); claims.level is 3',
  ],
  [
    '!("(" != "" && (claims.level == 3))',
    '!("(" != "" && (claims.level == 3)) is false (line 1, column 1); claims.level is 3',
  ],
  ['has(claims.phone)', 'has(claims.phone) is false (line 1, column 1); claims.phone is absent'],
  [
    'claims.email_verified ? claims.level == 1 : true',
    'claims.level == 1 is false (line 1, column 25); claims.level is 3',
  ],
  ['!claims.email_verified', '!claims.email_verified is false (line 1, column 1); claims.email_verified is true'],
  [
    'claims.level == 3 &&\n  claims.phone == "1"',
    'claims.phone: there is no phone (line 2, column 3); claims.level is 3; claims.phone is absent',
  ],
  ['claims.level', 'claims.level: the rule must be a bool, not a int (line 1, column 1); claims.level is 3'],
  [
    'request.time < timestamp(claims.iat)',
    'request.time < timestamp(claims.iat) is false (line 1, column 1); request.time is "2026-01-01T00:10:00.000Z"; claims.iat is 1767225600',
  ],
]

test('an explanation says which part was false, and what it read', () => {
  for (const [rule, text] of EXPLAINED)
    assert.equal(ruleRefusalText(explainRule(compileRule(rule, 'accept', 'signer'), variablesOf(CLAIMS))), text)
})

test('a mistake in a field names the field', () => {
  checkRule('acceptRule', 'true', 'accept', 'signer')
  assert.throws(() => checkRule('acceptRule', 'tru', 'accept', 'signer'), { code: 'COULD_NOT_VALIDATE' })
})

test('a text that glob does not compare is an error: a rule that refuses a pattern does not accept it', () => {
  const long = (start: string, length: number) => start.padEnd(length, 'x')
  const refusing = '!glob(claims.ref, "refs/pull/*")'
  assert.equal(evaluate(refusing, { ref: 'refs/heads/main' }), true)
  assert.equal(evaluate(refusing, { ref: long('refs/pull/', 1_024) }), false)
  assert.match(String(evaluate(refusing, { ref: long('refs/pull/', 1_025) })), /^fault: glob compares texts/)
  const groups = [long('admin', 1_025), 'ops']
  assert.match(String(evaluate('!glob(claims.groups, "admin*")', { groups })), /^fault: glob compares texts/)
  assert.equal(evaluate('glob(claims.groups, "o*")', { groups }), true)
})
