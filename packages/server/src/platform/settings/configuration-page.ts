import { SETTING_ROWS, type SettingRow } from './setting-row.ts'

const INTRODUCTION = `# Configuration

<!-- Generated from packages/server/src/platform/settings/settings.ts: UPDATE_DOCS=1 npm test -->

A setting can come from three places. The first that has it wins:

1. a flag of \`countersign up\` (\`--port 8443\`), for the settings that have one;
2. an environment variable (\`COUNTERSIGN_PORT=8443\`); an empty one counts as unset;
3. the file of \`--config FILE\` or \`COUNTERSIGN_CONFIG\`;

then its default. \`countersign config show\` prints the effective settings and where each came from, secrets hidden.

The file is YAML. Any error prevents the start, and all errors are reported together; an unknown key or \`COUNTERSIGN_…\` variable
is an error. Editors validate the file against [its JSON schema](countersign.schema.json):

\`\`\`yaml
# yaml-language-server: $schema=./countersign.schema.json
port: 8443
advertise:
  - controller.example.com:8443
database: postgres://countersign:password@db.example.com/countersign
http:
  trustedProxies: [10.0.0.0/8]
\`\`\`

A setting in a section is written with a dot below: \`http.trustedProxies\`. The environment variable is the key in upper
case with underscores: \`COUNTERSIGN_HTTP_TRUSTED_PROXIES\`. Lists in flags and variables are separated by commas; a flag
may also be repeated. Relative paths start at the working directory. A database URL with a password belongs in the file
or the environment, because other users of the machine can read command lines.

Also read, but not settings: \`COUNTERSIGN_CONFIG\` (the file), \`COUNTERSIGN_DEBUG\` (stack traces of unexpected errors),
\`NO_COLOR\`. The variables of the [SDK](sdk.md) are ignored.
`

/** Builds the reference page of the settings from the table. */
export function buildConfigurationPage(): string {
  const sections = Map.groupBy(SETTING_ROWS, (row) => row.path.slice(0, -1).join('.'))
  return [...sections].reduce(
    (page, [section, rows]) =>
      `${page}\n## ${section === '' ? 'General' : section}\n\n${rows.map(describe).join('\n')}`,
    INTRODUCTION,
  )
}

function describe({ key, env, flag, setting }: SettingRow): string {
  const value = setting.default === null ? 'unset' : `\`${setting.format(setting.default)}\``
  const names = [...(flag === null ? [] : [`\`--${flag}\``]), `\`${env}\``]
  return `### \`${key}\`

${setting.description}.

- Value: ${setting.expected}
- Default: ${value}
- Also: ${names.join(', ')}
`
}
