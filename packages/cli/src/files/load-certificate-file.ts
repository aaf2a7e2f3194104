import { X509Certificate } from 'node:crypto'
import { usageError } from '../cli-error.ts'
import { loadTextFile } from './load-text-file.ts'

/** Loads a PEM file and its first certificate. Throws when it contains none. */
export function loadCertificateFile(path: string): { readonly pem: string; readonly certificate: X509Certificate } {
  const pem = loadTextFile(path)
  try {
    return { pem, certificate: new X509Certificate(pem) }
  } catch {
    throw usageError(`${path} contains no certificate`, 'name a PEM file with a certificate')
  }
}
