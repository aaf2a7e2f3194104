import type { Settings } from './settings.ts'

/** A rule between settings: the key it is reported at, the others it reads, and what is wrong, if anything. */
interface SettingRule {
  readonly key: string
  readonly others: readonly string[]
  check(settings: Settings): string | undefined
}

const TLS_FILES = ['certFile', 'keyFile', 'caFile'] as const

/** An own certificate needs all three files; what is missing is told once, at the first that is there. */
function checkTlsFiles(tls: Settings['tls'], name: (typeof TLS_FILES)[number]): string | undefined {
  const missing = TLS_FILES.filter((file) => tls[file] === null)
  const firstGiven = TLS_FILES.find((file) => tls[file] !== null)
  if (missing.length === 0 || firstGiven !== name) return undefined
  return `needs ${missing.map((file) => `tls.${file}`).join(' and ')} too`
}

/** The rules between settings. Each is asked only when all settings it reads are good by themselves. */
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
    key: 'metrics.port',
    others: ['port'],
    check: ({ port, metrics }) =>
      port !== 0 && port === metrics.port ? `must differ from port, got ${metrics.port} for both` : undefined,
  },
]
