import type { Settings } from './settings.ts'

/** A rule between settings. `key` is where an error is reported, `others` are the other settings it reads. `check` returns the error, if any. */
interface SettingRule {
  readonly key: string
  readonly others: readonly string[]
  check(settings: Settings): string | undefined
}

const TLS_FILES = ['certFile', 'keyFile', 'caFile'] as const

/** The three files must be set together; missing ones are reported once, at the first file that is set. */
function checkTlsFiles(tls: Settings['tls'], name: (typeof TLS_FILES)[number]): string | undefined {
  const missing = TLS_FILES.filter((file) => tls[file] === null)
  const firstSet = TLS_FILES.find((file) => tls[file] !== null)
  if (missing.length === 0 || firstSet !== name) return undefined
  return `needs ${missing.map((file) => `tls.${file}`).join(' and ')} too`
}

/** A rule is checked only when all settings that it reads are valid by themselves. */
export const SETTING_RULES: readonly SettingRule[] = [
  ...TLS_FILES.map(
    (name): SettingRule => ({
      key: `tls.${name}`,
      others: TLS_FILES.map((other) => `tls.${other}`),
      check: ({ tls }) => checkTlsFiles(tls, name),
    }),
  ),
  {
    key: 'session.maxSeconds',
    others: ['session.idleSeconds'],
    check: ({ session }) =>
      session.maxSeconds < session.idleSeconds
        ? `must not be less than session.idleSeconds (${session.idleSeconds}), got ${session.maxSeconds}`
        : undefined,
  },
  {
    key: 'oidc.refreshTokenSeconds',
    others: ['oidc.accessTokenSeconds'],
    check: ({ oidc }) =>
      oidc.refreshTokenSeconds < oidc.accessTokenSeconds + 60
        ? `must be at least a minute more than oidc.accessTokenSeconds (${oidc.accessTokenSeconds}), got ${oidc.refreshTokenSeconds}`
        : undefined,
  },
  {
    key: 'metrics.port',
    others: ['port'],
    check: ({ port, metrics }) =>
      port !== 0 && port === metrics.port ? `must differ from port, got ${metrics.port} for both` : undefined,
  },
]
