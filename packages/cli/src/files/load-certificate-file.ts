import { X509Certificate } from 'node:crypto'
import { usageError } from '../cli-error.ts'
import { loadTextFile } from './load-text-file.ts'

/** The text of a file that begins with a certificate in PEM, and that certificate. Throws when there is none in it. */
export function loadCertificateFile(path: string): { readonly pem: string; readonly certificate: X509Certificate } {
  const pem = loadTextFile(path)
  try {
    return { pem, certificate: new X509Certificate(pem) }
  } catch {
    throw usageError(`${path} holds no certificate`, 'name a file with one in PEM')
  }
}
