/** Members of responses whose holder can act as an identity, here and in `enrollment`. Tags and claims can have these names too. */
const SECRET_MEMBERS: ReadonlySet<string> = new Set(['token', 'jwt', 'password'])
const HOLDERS: ReadonlySet<string> = new Set(['enrollment', 'ott', 'ottca', 'updb'])

/** A copy without secrets: what `list` and `show` print ends up in logs and on screens. */
export function withoutSecrets<Value extends object>(value: Value): Value {
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      if (SECRET_MEMBERS.has(name)) return []
      const isHolder = HOLDERS.has(name) && typeof member === 'object' && member !== null
      return [[name, isHolder ? withoutSecrets(member) : member]]
    }),
  ) as Value
}
