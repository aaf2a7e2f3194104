import { stat } from 'node:fs/promises'
import type { ConfiguredFiles } from './configured-certificate.ts'
import { type KeyMaterial, type KeyMaterialOptions, reloadKeyMaterial } from './load-key-material.ts'

export interface CertificateWatchOptions extends KeyMaterialOptions {
  /** The material in use. */
  readonly current: KeyMaterial
  /** Brings the key directory up to date. */
  readonly beforeReload?: () => Promise<void>
  /** Receives new material, to be used from now on. */
  readonly onChange: (material: KeyMaterial) => void
  /** Receives one sentence for the operator; the current material stays in use. */
  readonly onWarning: (message: string) => void
  readonly renewalCheckMs?: number
  readonly filePollMs?: number
  /** Without timers: checks only when `check` is called. */
  readonly isOnDemand?: boolean
}

export interface CertificateWatch {
  /** Checks now; for tests and for a reload on demand. */
  check(): Promise<void>
  /** No callback runs after this. */
  stop(): void
}

const HOUR_MS = 60 * 60 * 1000
const SECOND_MS = 1000

/**
 * Renews the server certificate before it expires, and reloads the operator's files when they change, without a restart. An unusable file
 * changes nothing and is reported once, at the second check, because certificate and key are rarely written at the same moment.
 */
export function watchServerCertificate(options: CertificateWatchOptions): CertificateWatch {
  const { configured, onChange, onWarning } = options
  let current = options.current
  let seenState: string | undefined
  let lastReloadAt = options.now().getTime()
  let failedState: string | undefined
  let reportedWarning: string | undefined
  let isStopped = false
  let running: Promise<void> | undefined

  const report = (message: string): void => {
    if (isStopped || message === reportedWarning) return
    reportedWarning = message
    onWarning(message)
  }

  const reload = async (): Promise<void> => {
    await options.beforeReload?.()
    const material = await reloadKeyMaterial(options)
    reportedWarning = undefined
    lastReloadAt = options.now().getTime()
    if (isStopped || isSame(material, current)) return
    current = material
    onChange(material)
  }

  const followFiles = async (files: ConfiguredFiles): Promise<void> => {
    const state = await readState(files)
    // The CA changes with time, without a change of these files.
    if (state === seenState && options.now().getTime() - lastReloadAt < HOUR_MS) return
    try {
      await reload()
      seenState = state
    } catch (error) {
      const isSecondCheck = state === failedState
      failedState = state
      if (isSecondCheck) report(messageOf(error))
    }
  }

  const renew = async (): Promise<void> => {
    try {
      await reload()
    } catch (error) {
      report(messageOf(error))
    }
  }

  const check = async (): Promise<void> => {
    if (isStopped) return
    running ??= (configured ? followFiles(configured) : renew()).finally(() => {
      running = undefined
    })
    await running
  }

  const intervalMs = configured ? (options.filePollMs ?? SECOND_MS) : (options.renewalCheckMs ?? HOUR_MS)
  const timer = options.isOnDemand ? undefined : setInterval(() => void check(), intervalMs)
  timer?.unref()
  const stop = (): void => {
    isStopped = true
    clearInterval(timer)
  }
  return { check, stop }
}

function isSame(one: KeyMaterial, other: KeyMaterial): boolean {
  const isSameIssuer = one.issuer?.certificate.toString('hex') === other.issuer?.certificate.toString('hex')
  const isSameCa = one.caBundlePem === other.caBundlePem && one.clientCaPem === other.clientCaPem
  return isSameIssuer && isSameCa && one.tls.cert === other.tls.cert
}

/** A text that changes whenever one of the files is replaced, modified or removed. */
async function readState(files: ConfiguredFiles): Promise<string> {
  const states = [files.certFile, files.keyFile, files.caFile].map(async (path) => {
    const found = await stat(path, { bigint: true }).catch(() => undefined)
    return found ? `${found.ino}:${found.size}:${found.mtimeNs}:${found.mode}` : 'none'
  })
  return (await Promise.all(states)).join(' ')
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
