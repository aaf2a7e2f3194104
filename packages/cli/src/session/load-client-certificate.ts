import { createPrivateKey, type KeyObject } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import { usageError } from '../cli-error.ts'
import { loadCertificateFile } from '../files/load-certificate-file.ts'
import { loadTextFile } from '../files/load-text-file.ts'
import type { Trust } from '../net/trusting-fetch.ts'

/** Loads a client certificate and its key. Throws when they are unusable, before any connection is made. */
export function loadClientCertificate(certFile: string, keyFile: string): Pick<Trust, 'certPem' | 'keyPem'> {
  const { pem: certPem, certificate } = loadCertificateFile(certFile)
  const keyPem = loadTextFile(keyFile)
  if (!certificate.checkPrivateKey(parseKey(keyFile, keyPem)))
    throw usageError(`${keyFile} is not the key of ${certFile}`, 'name a certificate and its own key')
  try {
    createSecureContext({ cert: certPem, key: keyPem })
  } catch {
    throw usageError(
      `TLS cannot use ${certFile}`,
      'check that the chain in the file is complete, and the key strong enough',
    )
  }
  return { certPem, keyPem }
}

function parseKey(file: string, pem: string): KeyObject {
  try {
    return createPrivateKey(pem)
  } catch {
    throw usageError(
      `${file} contains no usable private key`,
      'name a PEM file with a private key, without a passphrase',
    )
  }
}
